// SPDX-License-Identifier: GPL-2.0
#include "error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "words.h"

#define TEXT_MAX 1024

static _Thread_local char text[TEXT_MAX];

int error_set(int err, const char *fmt, ...)
{
	char fresh[TEXT_MAX];
	va_list ap;

	/* Formatted apart from the old text, which may be among the arguments. */
	va_start(ap, fmt);
	vsnprintf(fresh, sizeof(fresh), fmt, ap);
	va_end(ap);
	/* What comes from outside, such as a path, may have control characters: one line stays one. */
	make_printable(fresh);
	memcpy(text, fresh, sizeof(text));
	return -err;
}

int error_prefix(int err, const char *fmt, ...)
{
	char context[TEXT_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(context, sizeof(context), fmt, ap);
	va_end(ap);
	error_set(0, "%s: %s", context, text[0] ? text : strerror(err < 0 ? -err : err));
	return err;
}

const char *error_text(void)
{
	return text;
}

enum exit_status error_exit_status(int err)
{
	switch (err) {
	case 0:
		return EXIT_OK;
	case -E_USAGE:
		return EXIT_USAGE;
	case -E_CANNOT:
		return EXIT_CANNOT_RUN;
	default:
		return EXIT_FAILED;
	}
}
