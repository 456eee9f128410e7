// SPDX-License-Identifier: GPL-2.0
/*
 * tid_reuse COUNT, for runqslower.bats: so many times a task that has the tid of another that is no
 * more, and whose end could not be seen.
 *
 * A thread that calls execve() gets the tid of its process and loses its own without ending. The next
 * process is given the lost one, by asking for it.
 */
#include <errno.h>
#include <linux/sched.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pid_t *lost_tid; /* in memory that parent and child share */

static void sleep_ms(long ms)
{
	const struct timespec pause = { .tv_nsec = ms * 1000000 };

	nanosleep(&pause, NULL);
}

/* The first thread has ended by then, or else it would be ended in its sleep. */
static void *lose_tid(void *arg)
{
	(void)arg;
	*lost_tid = (pid_t)syscall(SYS_gettid);
	sleep_ms(20);
	execl("/proc/thread-self/exe", "tid_reuse", "0", (char *)NULL);
	_exit(1);
}

static void child(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, lose_tid, NULL))
		_exit(1);
	syscall(SYS_exit, 0);
}

static int ended_well(pid_t pid)
{
	int status;

	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) && !WEXITSTATUS(status);
}

static int process_with_tid(pid_t tid)
{
	struct clone_args args = {
		.exit_signal = SIGCHLD,
		.set_tid = (uintptr_t)&tid,
		.set_tid_size = 1,
	};
	pid_t pid = (pid_t)syscall(SYS_clone3, &args, sizeof(args));

	if (!pid) {
		sleep_ms(1);
		_exit(0);
	}
	if (pid < 0)
		fprintf(stderr, "tid_reuse: clone3 with tid %d: %s\n", tid, strerror(errno));
	return pid == tid && ended_well(pid);
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 1;

	lost_tid = mmap(NULL, sizeof(*lost_tid), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			-1, 0);
	if (lost_tid == MAP_FAILED)
		return 1;
	for (int i = 0; i < count; i++) {
		pid_t pid = fork();

		if (!pid)
			child();
		if (pid < 0 || !ended_well(pid) || !process_with_tid(*lost_tid))
			return 1;
	}
	return 0;
}
