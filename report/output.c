// SPDX-License-Identifier: GPL-2.0
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../harness/error.h"

struct output {
	const char *path;
	int fd;
	bool is_stdout;
	bool created; /* by us: not there before */
	bool replaced; /* the content that was there is gone */
};

static const char *name_of(const struct output *output)
{
	return output->is_stdout ? "standard output" : output->path;
}

static int cannot_write(const struct output *output, int err)
{
	return error_set(err, "cannot write to %s: %s", name_of(output), strerror(err));
}

/* O_EXCL tells a new file from one that was there, which is not to be emptied or removed yet. */
static int open_file(struct output *output)
{
	output->fd = open(output->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	output->created = output->fd >= 0;
	if (output->fd < 0 && errno == EEXIST)
		output->fd = open(output->path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	return output->fd < 0 ? -errno : 0;
}

static int open_stdout(struct output *output)
{
	output->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	return output->fd < 0 ? -errno : 0;
}

int output_open(const char *path, struct output **output)
{
	struct output *out = calloc(1, sizeof(*out));
	int err;

	if (!out)
		return error_set(ENOMEM, "no memory to open %s", path);

	out->path = path;
	out->is_stdout = !strcmp(path, "-");
	err = out->is_stdout ? open_stdout(out) : open_file(out);
	if (err) {
		cannot_write(out, -err);
		free(out);
		return err;
	}
	*output = out;
	return 0;
}

int output_is_no_input(const char *path, const char *input)
{
	struct stat ours, other;

	if (!strcmp(path, "-") || !strcmp(input, "-") || stat(path, &ours) || stat(input, &other))
		return 0;
	if (!S_ISREG(ours.st_mode) || ours.st_dev != other.st_dev || ours.st_ino != other.st_ino)
		return 0;
	return error_set(E_USAGE,
			 "%s: is read, and would be written over: give another file for the output",
			 path);
}

/* A regular file of our own: not stdout, which others write to as well. */
static bool is_regular(const struct output *output)
{
	struct stat st;

	return !output->is_stdout && !fstat(output->fd, &st) && S_ISREG(st.st_mode);
}

static int write_all(int fd, const char *text, size_t len)
{
	while (len) {
		ssize_t n = write(fd, text, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		text += n;
		len -= (size_t)n;
	}
	return 0;
}

/* Some file systems tell that they are full only when the data is really to be stored. */
static int store(const struct output *output)
{
	if (!is_regular(output) || !fsync(output->fd) || errno == EINVAL)
		return 0;
	return -errno;
}

/* What went through stdio stands before it. */
static int flush_stdout(const struct output *output)
{
	return output->is_stdout && fflush(stdout) ? -errno : 0;
}

/* Make sure that there is room before the old content goes. Not all file systems know how to. */
static int reserve(const struct output *output, size_t len)
{
	struct rlimit limit;

	if (!getrlimit(RLIMIT_FSIZE, &limit) && len > limit.rlim_cur)
		return -EFBIG;
	if (!len || !fallocate(output->fd, FALLOC_FL_KEEP_SIZE, 0, (off_t)len))
		return 0;
	return errno == ENOSPC || errno == EDQUOT || errno == EFBIG ? -errno : 0;
}

static int replace_content(struct output *output, const char *text, size_t len)
{
	int err;

	if (is_regular(output)) {
		err = reserve(output, len);
		if (err)
			return err;
		output->replaced = true;
		if (ftruncate(output->fd, 0))
			return -errno;
	}
	err = flush_stdout(output);
	if (!err)
		err = write_all(output->fd, text, len);
	if (!err)
		err = store(output);
	return err;
}

/* Remove the file that we created, unless its name has become another one's meanwhile. */
static void remove_created(const struct output *output)
{
	struct stat ours, named;

	if (!output->created || fstat(output->fd, &ours) || lstat(output->path, &named))
		return;
	/* Ours is a regular file. It costs nothing to make sure that no device goes by mistake. */
	if (S_ISREG(ours.st_mode) && ours.st_dev == named.st_dev && ours.st_ino == named.st_ino)
		unlink(output->path);
}

int output_write(struct output *output, const char *text, size_t len)
{
	int err = replace_content(output, text, len);

	if (err) {
		cannot_write(output, -err);
		/* Half a report must not be taken for one. Should that fail too, the text is told. */
		if (output->replaced && ftruncate(output->fd, 0))
			error_prefix(err, "%s is left incomplete", name_of(output));
		output_discard(output);
		return err;
	}

	if (close(output->fd))
		err = cannot_write(output, errno);
	free(output);
	return err;
}

void output_discard(struct output *output)
{
	if (!output)
		return;
	remove_created(output);
	close(output->fd);
	free(output);
}
