// SPDX-License-Identifier: GPL-2.0
#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "error.h"

#define GRACE_NS (2 * NSEC_PER_SEC)

/*
 * The child's end of the socket is closed by a successful execve(), and so the parent reads an end of
 * file; what went wrong comes as an errno.
 */
static void child(int go, char *const *argv, int out, pid_t parent, bool own_group)
{
	sigset_t none;
	char word;
	int err;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (own_group)
		setpgid(0, 0);
	if (getppid() != parent)
		_exit(1);
	/* Handlers go with execve() by themselves, what is ignored stays. */
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (out != STDOUT_FILENO)
		dup2(out, STDOUT_FILENO);
	if (read(go, &word, 1) != 1)
		_exit(1);
	execvp(argv[0], argv);
	err = errno;
	if (write(go, &err, sizeof(err)) < 0)
		_exit(1);
	_exit(err == ENOENT ? 127 : 126);
}

int command_prepare(struct command *command, char *const *argv, int out)
{
	pid_t parent = getpid();
	int ends[2], err;

	memset(command, 0, sizeof(*command));
	/* At a terminal it stays with us: its signals reach all that it has started, and it may read. */
	command->own_group = !isatty(STDIN_FILENO);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return error_set(errno, "cannot make a socket pair: %s", strerror(errno));
	command->pid = fork();
	if (!command->pid) {
		close(ends[0]);
		child(ends[1], argv, out, parent, command->own_group);
	}
	err = errno;
	close(ends[1]);
	if (command->pid > 0) {
		/* By either of both, whoever comes first. */
		if (command->own_group)
			setpgid(command->pid, command->pid);
		command->go = ends[0];
		return 0;
	}
	close(ends[0]);
	command->pid = 0;
	return error_set(err, "cannot make a process for %s: %s", argv[0], strerror(err));
}

int command_go(struct command *command, const char *name)
{
	int err = 0;
	ssize_t n;

	if (send(command->go, "", 1, MSG_NOSIGNAL) != 1)
		return error_set(errno, "cannot start %s: %s", name, strerror(errno));
	while ((n = read(command->go, &err, sizeof(err))) < 0 && errno == EINTR)
		;
	close(command->go);
	command->begun = true;
	return n == sizeof(err) ? error_set(err, "cannot run %s: %s", name, strerror(err)) : 0;
}

bool command_over(struct command *command)
{
	int status;

	if (!command->pid)
		return true;
	if (waitpid(command->pid, &status, WNOHANG) != command->pid)
		return false;
	command->pid = 0;
	command->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	return true;
}

/* With all that it has started, unless that has made itself a group of its own. */
static void signal_all(const struct command *command, int signal)
{
	kill(command->own_group ? -command->pid : command->pid, signal);
}

void command_end(struct command *command)
{
	const pid_t group = command->own_group ? command->pid : 0;
	const struct timespec moment = { .tv_nsec = 10 * 1000 * 1000 };
	u64 end = now_ns() + GRACE_NS;

	if (command->pid && !command->begun)
		close(command->go);
	if (command_over(command))
		return;
	command->cut_short = true;
	signal_all(command, SIGTERM);
	while (!command_over(command) && now_ns() < end)
		clock_nanosleep(CLOCK_MONOTONIC, 0, &moment, NULL);
	if (command->pid)
		signal_all(command, SIGKILL);
	else if (group)
		kill(-group, SIGKILL);
	while (!command_over(command))
		clock_nanosleep(CLOCK_MONOTONIC, 0, &moment, NULL);
}
