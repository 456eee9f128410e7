// SPDX-License-Identifier: GPL-2.0
/* Threads beside the producers, which disturb what is measured as the benchmark wants it. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run_internal.h"

static void *background_main(void *arg)
{
	struct background *thread = arg;
	struct bench_run *run = thread->run;
	int err = 0;

	while (!err && !atomic_load_explicit(&run->background_over, memory_order_relaxed))
		err = run->bench->background(run, thread->index);
	if (!err)
		return NULL;
	pthread_mutex_lock(&run->lock);
	thread->err = err;
	snprintf(thread->err_text, sizeof(thread->err_text), "%s", error_text());
	run->failed = true;
	pthread_cond_broadcast(&run->changed);
	pthread_mutex_unlock(&run->lock);
	return NULL;
}

static int start_one(struct bench_run *run, unsigned int index)
{
	struct background *thread = &run->background[index];
	int err;

	thread->run = run;
	thread->index = index;
	err = pthread_create(&thread->thread, NULL, background_main, thread);
	if (err)
		return error_set(err, "cannot start background thread %u: %s", index,
				 strerror(err));
	run->nr_background++;
	return 0;
}

int background_start(struct bench_run *run)
{
	unsigned int nr = run->bench->nr_background ? run->bench->nr_background(run) : 0;
	sigset_t all, before;
	int err = 0;

	if (!nr)
		return 0;
	run->background = calloc(nr, sizeof(*run->background));
	if (!run->background)
		return error_set(ENOMEM, "no memory for %u background threads", nr);

	/* Signals are the main thread's: it ends the run. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	for (unsigned int i = 0; i < nr && !err; i++)
		err = start_one(run, i);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return err;
}

int background_error(const struct bench_run *run)
{
	for (unsigned int i = 0; i < run->nr_background; i++) {
		if (run->background[i].err)
			return error_set(-run->background[i].err, "%s",
					 run->background[i].err_text);
	}
	return 0;
}

int background_stop(struct bench_run *run)
{
	int err;

	atomic_store(&run->background_over, true);
	for (unsigned int i = 0; i < run->nr_background; i++)
		pthread_join(run->background[i].thread, NULL);
	err = background_error(run);
	free(run->background);
	run->background = NULL;
	run->nr_background = 0;
	return err;
}
