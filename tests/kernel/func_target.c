// SPDX-License-Identifier: GPL-2.0
/*
 * For tests/kernel/func_latency.bats: functions that are called a known number of times.
 *
 *	func_target MODE N [DEPTH]
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TRACED __attribute__((noinline, noclone, used))

static volatile long sink;
static jmp_buf back;

TRACED void target_leaf(void)
{
	sink++;
}

/* Three calls of the leaf in each. */
TRACED void target_outer(void)
{
	target_leaf();
	target_leaf();
	target_leaf();
	sink++;
}

TRACED void target_recursive(long depth)
{
	if (depth > 1)
		target_recursive(depth - 1);
	sink++;
}

TRACED void target_jumps(long depth)
{
	if (depth > 1)
		target_jumps(depth - 1);
	else
		longjmp(back, 1);
	sink++;
}

/* Catches the jump itself: an outer call that goes on after inner ones were left. */
TRACED void target_catches(long depth)
{
	if (!setjmp(back))
		target_jumps(depth);
	sink++;
}

TRACED void target_exits(void)
{
	syscall(SYS_exit, 0);
	sink++;
}

/* Begins on one CPU and ends on another, if there are two. */
TRACED void target_moves(long turn)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(turn % 2, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	sink++;
}

TRACED void target_naps(void)
{
	const struct timespec nap = { .tv_nsec = 2000000 };

	nanosleep(&nap, NULL);
	sink++;
}

/* Until after the tracing has ended, and holding up nobody who reads what this prints. */
TRACED void target_waits(void)
{
	for (int fd = 0; fd < 10; fd++)
		close(fd);
	alarm(5);
	pause();
	sink++;
}

static void *leaves(void *n)
{
	for (long i = 0; i < *(long *)n; i++)
		target_outer();
	return NULL;
}

static void *exits(void *unused)
{
	(void)unused;
	target_exits();
	return NULL;
}

static void in_threads(long n, void *(*body)(void *), long *each)
{
	pthread_t threads[4];

	for (long i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, body, each);
	for (long i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
}

/* Of a process: by the end of it all are over, or gone. */
static void in_processes(long n, void (*body)(void))
{
	for (long i = 0; i < n; i++) {
		pid_t pid = fork();

		if (!pid) {
			body();
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
}

static void on_alarm(int signal)
{
	(void)signal;
	target_leaf();
}

int main(int argc, char **argv)
{
	const char *mode = argc > 2 ? argv[1] : "";
	long n = argc > 2 ? atol(argv[2]) : 0, depth = argc > 3 ? atol(argv[3]) : 1;

	if (!strcmp(mode, "nested")) {
		for (long i = 0; i < n; i++)
			target_outer();
	} else if (!strcmp(mode, "recursive")) {
		for (long i = 0; i < n; i++)
			target_recursive(depth);
	} else if (!strcmp(mode, "jumps")) {
		for (volatile long i = 0; i < n; i++) {
			if (!setjmp(back))
				target_jumps(depth);
		}
	} else if (!strcmp(mode, "catches")) {
		for (long i = 0; i < n; i++)
			target_catches(depth);
	} else if (!strcmp(mode, "exits")) {
		for (long i = 0; i < n; i++)
			in_threads(1, exits, NULL);
		in_processes(n, target_exits);
	} else if (!strcmp(mode, "threads")) {
		in_threads(4, leaves, &n);
	} else if (!strcmp(mode, "naps")) {
		for (long i = 0; i < n; i++)
			target_naps();
	} else if (!strcmp(mode, "moves")) {
		for (long i = 0; i < n; i++)
			target_moves(i);
	} else if (!strcmp(mode, "waits")) {
		for (long i = 0; i < n; i++) {
			if (!fork())
				target_waits();
		}
		usleep(300000);
	} else if (!strcmp(mode, "signals")) {
		signal(SIGALRM, on_alarm);
		for (long i = 0; i < n; i++)
			raise(SIGALRM);
	} else if (!strcmp(mode, "getpgid")) {
		for (long i = 0; i < n; i++)
			syscall(SYS_getpgid, 0);
	} else {
		fprintf(stderr, "func_target: no mode '%s'\n", mode);
		return 2;
	}
	return 0;
}
