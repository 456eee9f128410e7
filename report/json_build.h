/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Making JSON. A value that could not be made, for want of memory, is NULL. json_put() and json_add() pass
 * that on: the container becomes NULL, and with it everything that it would have been part of. So only the
 * finished document is checked: one with a hole is none.
 */
#ifndef REPORT_JSON_BUILD_H
#define REPORT_JSON_BUILD_H

#include <jansson.h>

static inline void json_put(json_t **object, const char *key, json_t *value)
{
	if (json_object_set_new(*object, key, value)) {
		json_decref(*object);
		*object = NULL;
	}
}

static inline void json_add(json_t **array, json_t *value)
{
	if (json_array_append_new(*array, value)) {
		json_decref(*array);
		*array = NULL;
	}
}

#endif
