/* SPDX-License-Identifier: GPL-2.0 */
/* REPEAT_80(m) is m(0) m(1) … m(79): for what must be written out, such as maps by name. */
#ifndef PROGS_REPEAT_H
#define PROGS_REPEAT_H

#define REPEAT_10(m, tens)                                                                      \
	m(tens##0) m(tens##1) m(tens##2) m(tens##3) m(tens##4) m(tens##5) m(tens##6) m(tens##7) \
		m(tens##8) m(tens##9)

#define REPEAT_80(m)    \
	REPEAT_10(m, )  \
	REPEAT_10(m, 1) \
	REPEAT_10(m, 2) \
	REPEAT_10(m, 3) REPEAT_10(m, 4) REPEAT_10(m, 5) REPEAT_10(m, 6) REPEAT_10(m, 7)

#define REPEAT_64(m)    \
	REPEAT_10(m, )  \
	REPEAT_10(m, 1) \
	REPEAT_10(m, 2) REPEAT_10(m, 3) REPEAT_10(m, 4) REPEAT_10(m, 5) m(60) m(61) m(62) m(63)

/*
 * Keeps the compiler from merging a place's way out of an unrolled loop with those of the others.
 * The verifier takes a test out if one of its two ways is not used by anything: see bench_pad().
 */
#define OWN_WAY_OUT(i) asm volatile("# place %0" : : "i"(i))

#endif
