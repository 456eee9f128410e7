// SPDX-License-Identifier: GPL-2.0
#include "runqslower_load.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/error.h"

#define HANDOVERS_PER_STEP 64
#define WAIT_NS (10 * NSEC_PER_MSEC) /* the other one may have been stopped */

int load_init(struct load *load, unsigned int nr_pairs, unsigned int forks_per_sec)
{
	memset(load, 0, sizeof(*load));
	load->forks_per_sec = forks_per_sec;
	if (!nr_pairs)
		return 0;
	load->pairs = aligned_alloc(sizeof(*load->pairs), nr_pairs * sizeof(*load->pairs));
	if (!load->pairs)
		return error_set(ENOMEM, "no memory for %u pairs of threads", nr_pairs);
	memset(load->pairs, 0, nr_pairs * sizeof(*load->pairs));
	load->nr_pairs = nr_pairs;
	return 0;
}

void load_free(struct load *load)
{
	free(load->pairs);
	load->pairs = NULL;
}

unsigned int load_nr_threads(const struct load *load)
{
	return 2 * load->nr_pairs + (load->forks_per_sec ? 1 : 0);
}

/* False if it did not become this side's turn in time. */
static bool wait_for_turn(struct load_pair *pair, u32 side)
{
	const struct timespec timeout = { .tv_nsec = WAIT_NS };

	while (__atomic_load_n(&pair->turn, __ATOMIC_ACQUIRE) != side) {
		if (syscall(SYS_futex, &pair->turn, FUTEX_WAIT_PRIVATE, !side, &timeout, NULL, 0) &&
		    errno == ETIMEDOUT)
			return false;
	}
	return true;
}

static void hand_over(struct load_pair *pair, u32 side)
{
	__atomic_store_n(&pair->turn, !side, __ATOMIC_RELEASE);
	syscall(SYS_futex, &pair->turn, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	pair->handovers[side]++;
}

static void play(struct load_pair *pair, u32 side)
{
	for (int i = 0; i < HANDOVERS_PER_STEP && wait_for_turn(pair, side); i++)
		hand_over(pair, side);
}

static int fork_one(struct load *load)
{
	pid_t child = vfork();

	if (!child)
		_exit(0);
	if (child < 0)
		return error_set(errno, "cannot make process %llu: %s",
				 (unsigned long long)load->forks + 1, strerror(errno));
	load->forks++;
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	return 0;
}

/* What a machine that is too slow has missed is not made up for. */
static int fork_when_due(struct load *load)
{
	u64 now = now_ns(), period = NSEC_PER_SEC / load->forks_per_sec;
	struct timespec pause = {};

	if (!load->next_fork_ns || now > load->next_fork_ns + NSEC_PER_SEC)
		load->next_fork_ns = now;
	if (now < load->next_fork_ns) {
		pause.tv_nsec = (long)min_u64(load->next_fork_ns - now, WAIT_NS);
		clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
		return 0;
	}
	load->next_fork_ns += period;
	return fork_one(load);
}

int load_step(struct load *load, unsigned int index)
{
	if (index == 2 * load->nr_pairs)
		return fork_when_due(load);
	play(&load->pairs[index / 2], index % 2);
	return 0;
}

u64 load_handovers(const struct load *load)
{
	u64 sum = 0;

	for (unsigned int i = 0; i < load->nr_pairs; i++)
		sum += load->pairs[i].handovers[0] + load->pairs[i].handovers[1];
	return sum;
}
