/* SPDX-License-Identifier: GPL-2.0 */
/* Numbers that look random and are the same again from the same seed. */
#ifndef HARNESS_RANDOM_H
#define HARNESS_RANDOM_H

#include "util.h"

/* SplitMix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", 2014). */
static inline u64 random_u64(u64 *state)
{
	u64 z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

#endif
