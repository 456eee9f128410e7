// SPDX-License-Identifier: GPL-2.0
#include "cpus.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "error.h"
#include "words.h"

#define ONLINE_PATH "/sys/devices/system/cpu/online"

/* No kernel has that many. What is larger is a typing error, and must not cost memory. */
#define CPU_LIMIT (1U << 20)

void cpu_list_free(struct cpu_list *list)
{
	free(list->cpu);
	list->cpu = NULL;
	list->n = 0;
}

static bool has_cpu(const struct cpu_list *list, unsigned int cpu)
{
	for (size_t i = 0; i < list->n; i++) {
		if (list->cpu[i] == cpu)
			return true;
	}
	return false;
}

static int add_cpu(struct cpu_list *list, unsigned int cpu)
{
	/* Grow when the length is a power of two: no capacity to carry along. */
	if ((list->n & (list->n - 1)) == 0) {
		size_t room = list->n ? 2 * list->n : 1;
		unsigned int *grown = realloc(list->cpu, room * sizeof(*grown));

		if (!grown)
			return error_set(ENOMEM, "out of memory for a list of CPUs");
		list->cpu = grown;
	}
	list->cpu[list->n++] = cpu;
	return 0;
}

/* An ascending list as "0-3,7". Cut where the buffer ends: it is for people. */
static void print_list(const struct cpu_list *list, char *buf, size_t size)
{
	size_t used = 0;

	buf[0] = '\0';
	for (size_t i = 0, last; i < list->n && used < size; i = last + 1) {
		const char *comma = i ? "," : "";

		for (last = i; last + 1 < list->n && list->cpu[last + 1] == list->cpu[last] + 1;)
			last++;
		if (last == i)
			used += (size_t)snprintf(buf + used, size - used, "%s%u", comma,
						 list->cpu[i]);
		else
			used += (size_t)snprintf(buf + used, size - used, "%s%u-%u", comma,
						 list->cpu[i], list->cpu[last]);
	}
	if (used >= size)
		strcpy(buf + size - sizeof("..."), "...");
}

/* One element of a list, with what errors have to name. */
struct element {
	const char *list_text;
	const char *text;
	u64 first, last;
};

static int not_a_cpu(const struct element *element, int err)
{
	if (err == -ERANGE)
		return error_set(E_USAGE, "CPU list %s: %s is too large for a CPU number",
				 quoted(element->list_text), quoted(element->text));
	return error_set(E_USAGE, "CPU list %s: %s is not a CPU number or a range of them",
			 quoted(element->list_text), quoted(element->text));
}

/* "7" or "0-3", split at the dash and put together again: errors quote it. */
static int parse_range(struct element *element, char *text)
{
	char *dash = strchr(text, '-');
	int err, err_last;

	if (!dash) {
		err = parse_u64(text, &element->first);
		element->last = element->first;
		return err;
	}
	*dash = '\0';
	err = parse_u64(text, &element->first);
	err_last = dash[1] == '-' ? -EINVAL : parse_u64(dash + 1, &element->last);
	*dash = '-';
	return err == -EINVAL || !err_last ? err : err_last;
}

static int parse_element(struct element *element, char *text)
{
	int err = parse_range(element, text);

	if (err)
		return not_a_cpu(element, err);
	if (element->first >= CPU_LIMIT || element->last >= CPU_LIMIT)
		return not_a_cpu(element, -ERANGE);
	if (element->first > element->last)
		return error_set(E_USAGE, "CPU list %s: the range %s is the wrong way round",
				 quoted(element->list_text), quoted(element->text));
	return 0;
}

static int check_cpu(const struct element *element, unsigned int cpu, const struct cpu_list *online,
		     const struct cpu_list *list)
{
	char usable[128];

	if (!has_cpu(online, cpu)) {
		print_list(online, usable, sizeof(usable));
		return error_set(E_USAGE,
				 "CPU list %s: CPU %u is not online or not allowed here "
				 "(usable: %s)",
				 quoted(element->list_text), cpu, usable);
	}
	if (has_cpu(list, cpu))
		return error_set(E_USAGE, "CPU list %s: CPU %u is there twice",
				 quoted(element->list_text), cpu);
	return 0;
}

/*
 * Without `online` nothing is checked against it: that is for the kernel's own list. Stops at the
 * first CPU that is not there, so that no list grows beyond the CPUs of the machine.
 */
static int add_element(const struct element *element, const struct cpu_list *online,
		       struct cpu_list *list)
{
	for (u64 cpu = element->first; cpu <= element->last; cpu++) {
		int err = online ? check_cpu(element, (unsigned int)cpu, online, list) : 0;

		if (!err)
			err = add_cpu(list, (unsigned int)cpu);
		if (err)
			return err;
	}
	return 0;
}

/* `copy` is taken apart, `text` is what errors quote. */
static int parse_elements(const char *text, char *copy, const struct cpu_list *online,
			  struct cpu_list *list)
{
	char *rest = copy, *part;

	while ((part = strsep(&rest, ","))) {
		struct element element = { .list_text = text, .text = part };
		int err;

		if (!*part && !rest && part != copy)
			return error_set(E_USAGE, "CPU list %s: ends with a comma", quoted(text));
		if (!*part)
			return error_set(E_USAGE, "CPU list %s: a CPU is missing before a comma",
					 quoted(text));
		err = parse_element(&element, part);
		if (!err)
			err = add_element(&element, online, list);
		if (err)
			return err;
	}
	return 0;
}

static int parse_list(const char *text, const struct cpu_list *online, struct cpu_list *list)
{
	char *copy;
	int err;

	memset(list, 0, sizeof(*list));
	if (!*text)
		return error_set(E_USAGE, "CPU list '': empty");
	copy = strdup(text);
	if (!copy)
		return error_set(ENOMEM, "out of memory for a list of CPUs");
	err = parse_elements(text, copy, online, list);
	free(copy);
	if (err)
		cpu_list_free(list);
	return err;
}

int cpu_list_parse(const char *text, const struct cpu_list *online, struct cpu_list *list)
{
	return parse_list(text, online, list);
}

/* The kernel's list of CPUs that are online. */
static int read_online(struct cpu_list *list)
{
	FILE *file = fopen(ONLINE_PATH, "re");
	char *line = NULL;
	size_t room = 0;
	int err = -ENOENT;

	if (file) {
		if (getline(&line, &room, file) > 0) {
			line[strcspn(line, "\n")] = '\0';
			err = parse_list(line, NULL, list);
		}
		fclose(file);
	}
	free(line);
	return err;
}

/* Without /sys: all that could be there. The affinity mask knows which of them are offline. */
static int guess_online(struct cpu_list *list)
{
	long n = sysconf(_SC_NPROCESSORS_CONF);
	int err = 0;

	memset(list, 0, sizeof(*list));
	for (long cpu = 0; cpu < n && !err; cpu++)
		err = add_cpu(list, (unsigned int)cpu);
	return err;
}

/*
 * The process's affinity, in a set that the caller frees by CPU_FREE(). The kernel refuses a set
 * that is smaller than its own, which may be larger than cpu_set_t: grow until it fits.
 */
static cpu_set_t *read_affinity(size_t *size)
{
	for (unsigned int cpus = CPU_SETSIZE; cpus <= CPU_LIMIT; cpus *= 2) {
		cpu_set_t *set = CPU_ALLOC(cpus);
		int err;

		if (!set) {
			error_set(ENOMEM, "out of memory for a set of CPUs");
			return NULL;
		}
		*size = CPU_ALLOC_SIZE(cpus);
		CPU_ZERO_S(*size, set);
		if (!sched_getaffinity(0, *size, set))
			return set;
		err = errno;
		CPU_FREE(set);
		if (err != EINVAL) {
			errno = err;
			break;
		}
	}
	error_set(errno, "cannot read the CPUs this process may use: %s", strerror(errno));
	return NULL;
}

/* Drop what is not in the affinity set. */
static void keep_allowed(struct cpu_list *list, const cpu_set_t *set, size_t size)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->n; i++) {
		if (CPU_ISSET_S(list->cpu[i], size, set))
			list->cpu[kept++] = list->cpu[i];
	}
	list->n = kept;
}

int cpu_list_online(struct cpu_list *list)
{
	cpu_set_t *set;
	size_t size;
	int err;

	err = read_online(list);
	if (err)
		err = guess_online(list);
	if (err)
		goto fail;
	err = -EIO;
	set = read_affinity(&size);
	if (!set)
		goto fail;
	keep_allowed(list, set, size);
	CPU_FREE(set);
	return 0;

fail:
	cpu_list_free(list);
	return err;
}
