// SPDX-License-Identifier: GPL-2.0
#include "func_tracer.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "func_latency.skel.h" /* needs the types of bench.h */

#define CELLS_SIZE (FUNC_NR_CELLS * sizeof(struct func_cell))
#define KPROBES "/sys/bus/event_source/devices/kprobe"

const char *const func_probe_names[FUNC_NR_PROBES + 1] = { "fentry", "kprobe", "uprobe", NULL };

struct pair {
	const char *enter, *leave;
};

static const struct pair pairs[FUNC_NR_PROBES] = {
	[FUNC_FENTRY] = { "fentry_enter", "fentry_leave" },
	[FUNC_KPROBE] = { "kprobe_enter", "kprobe_leave" },
	[FUNC_UPROBE] = { "uprobe_enter", "uprobe_leave" },
};

static const struct pair twins[FUNC_NR_PROBES] = {
	[FUNC_FENTRY] = { "fentry_enter_nothing", "fentry_leave_nothing" },
	[FUNC_KPROBE] = { "probe_nothing", "probe_nothing" },
	[FUNC_UPROBE] = { "probe_nothing", "probe_nothing" },
};

/* One function: its object, on the tracer's maps. */
struct traced {
	struct func_latency_bpf *skel;
	struct bpf_program *enter, *leave;
	struct bpf_link *enter_link, *leave_link;
	struct func_cell *cells; /* mapped */
};

struct func_tracer {
	struct func_latency_bpf
		*tools; /* which has the maps, and the programs that are attached to nothing */
	struct bpf_link *unfinished_link;
	struct traced *traced;
	unsigned int nr_functions;
	u32 stack_size;
	u64 *counting; /* mapped */
	struct func_leftover *leftovers; /* mapped: of each function */
};

/* An object with nothing to be loaded but what is chosen of it next. */
static struct func_latency_bpf *open_object(const struct func_tracer *tracer)
{
	struct func_latency_bpf *skel = func_latency_bpf__open();
	struct bpf_program *prog;

	if (!skel)
		return NULL;
	bpf_object__for_each_program(prog, skel->obj)
		bpf_program__set_autoload(prog, false);
	bpf_map__set_max_entries(skel->maps.func_leftovers, tracer->nr_functions);
	skel->rodata->stack_size = tracer->stack_size;
	return skel;
}

/* The registers of user space are at the top of the stack, which is a power of two in size. */
static int read_stack_size(struct func_tracer *tracer)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	int fd = bpf_program__fd(tracer->tools->progs.read_stack_size);
	int err = bpf_prog_test_run_opts(fd, &opts);

	if (err)
		return error_set(-err, "cannot run read_stack_size: %s", strerror(-err));
	tracer->stack_size = 1;
	while (tracer->stack_size <= opts.retval)
		tracer->stack_size *= 2;
	return 0;
}

static int map_memory(const struct bpf_map *map, size_t size, void *memory)
{
	void *mapped = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);

	if (mapped == MAP_FAILED)
		return error_set(errno, "cannot map %s: %s", bpf_map__name(map), strerror(errno));
	*(void **)memory = mapped;
	return 0;
}

static size_t leftovers_size(const struct func_tracer *tracer)
{
	return tracer->nr_functions * sizeof(*tracer->leftovers);
}

static int load_tools(struct func_tracer *tracer)
{
	struct func_latency_bpf *tools = open_object(tracer);
	int err;

	if (!tools)
		return error_set(errno, "cannot open the func_latency object: %s", strerror(errno));
	tracer->tools = tools;
	bpf_program__set_autoload(tools->progs.count_unfinished, true);
	bpf_program__set_autoload(tools->progs.read_stack_size, true);
	err = bpf_object__load(tools->obj);
	if (err)
		return error_set(err == -EPERM || err == -EOPNOTSUPP ? E_CANNOT : -err,
				 "cannot load the maps and the iterator over tasks: %s (the "
				 "verifier's words: -v)",
				 strerror(-err));
	tracer->unfinished_link = bpf_program__attach_iter(tools->progs.count_unfinished, NULL);
	if (!tracer->unfinished_link)
		return error_set(errno, "cannot iterate over tasks: %s", strerror(errno));
	err = map_memory(tools->maps.data_counting, sizeof(u64), &tracer->counting);
	if (!err)
		err = map_memory(tools->maps.func_leftovers, leftovers_size(tracer),
				 &tracer->leftovers);
	return err ? err : read_stack_size(tracer);
}

struct func_tracer *func_tracer_open(unsigned int nr_functions, int *error)
{
	struct func_tracer *tracer = calloc(1, sizeof(*tracer));

	if (tracer)
		tracer->traced = calloc(nr_functions, sizeof(*tracer->traced));
	if (!tracer || !tracer->traced) {
		free(tracer);
		*error = error_set(ENOMEM, "no memory for %u functions", nr_functions);
		return NULL;
	}
	tracer->nr_functions = nr_functions;
	*error = bench_need_memory(nr_functions * CELLS_SIZE, "what is counted of each function");
	if (!*error)
		*error = load_tools(tracer);
	if (!*error)
		return tracer;
	func_tracer_close(tracer);
	return NULL;
}

static void detach(struct traced *traced)
{
	/* The return last: so that no call is left without. */
	bpf_link__destroy(traced->enter_link);
	bpf_link__destroy(traced->leave_link);
	traced->enter_link = NULL;
	traced->leave_link = NULL;
}

void func_tracer_detach(struct func_tracer *tracer)
{
	for (unsigned int i = 0; i < tracer->nr_functions; i++)
		detach(&tracer->traced[i]);
}

static void release(struct traced *traced)
{
	detach(traced);
	if (traced->cells)
		munmap(traced->cells, CELLS_SIZE);
	func_latency_bpf__destroy(traced->skel);
	memset(traced, 0, sizeof(*traced));
}

void func_tracer_close(struct func_tracer *tracer)
{
	if (!tracer)
		return;
	for (unsigned int i = 0; i < tracer->nr_functions; i++)
		release(&tracer->traced[i]);
	if (tracer->counting)
		munmap(tracer->counting, sizeof(u64));
	if (tracer->leftovers)
		munmap(tracer->leftovers, leftovers_size(tracer));
	bpf_link__destroy(tracer->unfinished_link);
	func_latency_bpf__destroy(tracer->tools);
	free(tracer->traced);
	free(tracer);
}

static int share_maps(const struct func_tracer *tracer, struct func_latency_bpf *skel)
{
	const struct {
		struct bpf_map *to, *from;
	} maps[] = {
		{ skel->maps.func_stacks, tracer->tools->maps.func_stacks },
		{ skel->maps.func_leftovers, tracer->tools->maps.func_leftovers },
		{ skel->maps.data_counting, tracer->tools->maps.data_counting },
	};
	int err = 0;

	for (size_t i = 0; i < ARRAY_SIZE(maps) && !err; i++)
		err = bpf_map__reuse_fd(maps[i].to, bpf_map__fd(maps[i].from));
	return err ? error_set(-err, "cannot share a map: %s", strerror(-err)) : 0;
}

/* Which function fentry is for is said on loading, by its name. */
static int choose_fentry(struct bpf_program *prog, const struct func_target *target)
{
	int err = target->name_is_shared
			  ? -EEXIST
			  : bpf_program__set_attach_target(prog, 0, target->function);

	if (err == -EEXIST)
		return error_set(EEXIST, "other functions have the same name");
	if (err == -ENOENT || err == -ESRCH)
		return error_set(ENOENT, "it is not in the kernel's BTF");
	return err ? error_set(-err, "%s", strerror(-err)) : 0;
}

static int load(const struct func_tracer *tracer, struct traced *traced, unsigned int function,
		const struct func_attach *how)
{
	const struct pair *pair = how->twin ? &twins[how->probe] : &pairs[how->probe];
	struct func_latency_bpf *skel = open_object(tracer);
	int err;

	if (!skel)
		return error_set(errno, "cannot open the func_latency object: %s", strerror(errno));
	traced->skel = skel;
	traced->enter = bpf_object__find_program_by_name(skel->obj, pair->enter);
	traced->leave = bpf_object__find_program_by_name(skel->obj, pair->leave);
	bpf_program__set_autoload(traced->enter, true);
	bpf_program__set_autoload(traced->leave, true);
	skel->rodata->function = function;
	skel->rodata->net_of_ns = how->net_of_ns;
	err = share_maps(tracer, skel);
	if (!err && how->probe == FUNC_FENTRY)
		err = choose_fentry(traced->enter, how->target);
	if (!err && how->probe == FUNC_FENTRY)
		err = choose_fentry(traced->leave, how->target);
	if (err)
		return err;
	if (how->run)
		return bench_load_object(how->run, skel->obj);
	err = bpf_object__load(skel->obj);
	return err ? error_set(-err, "%s", strerror(-err)) : 0;
}

static struct bpf_link *attach_one(struct bpf_program *prog, const struct func_attach *how,
				   bool is_return)
{
	const struct func_target *target = how->target;
	LIBBPF_OPTS(bpf_kprobe_opts, kprobe, .retprobe = is_return);
	LIBBPF_OPTS(bpf_uprobe_opts, uprobe, .retprobe = is_return);
	char name[512];

	if (how->probe == FUNC_FENTRY)
		return bpf_program__attach_trace(prog);
	if (how->probe == FUNC_UPROBE)
		return bpf_program__attach_uprobe_opts(prog, -1, target->path, target->offset,
						       &uprobe);
	snprintf(name, sizeof(name), "%s%s%s", target->module ? target->module : "",
		 target->module ? ":" : "", target->function);
	return bpf_program__attach_kprobe_opts(prog, name, &kprobe);
}

/* The return first: from when entries are seen on, no call is left without. */
static int attach(struct traced *traced, const struct func_attach *how)
{
	traced->leave_link = attach_one(traced->leave, how, true);
	if (traced->leave_link)
		traced->enter_link = attach_one(traced->enter, how, false);
	return traced->enter_link ? 0 : error_set(errno, "%s", strerror(errno));
}

int func_tracer_attach(struct func_tracer *tracer, unsigned int function,
		       const struct func_attach *how)
{
	struct traced *traced = &tracer->traced[function];
	int err;

	/* Where perf has none, libbpf would look for them elsewhere, and leave a name behind there. */
	if (how->probe == FUNC_KPROBE && access(KPROBES, F_OK))
		return error_set(ENOENT, "the kernel has none (CONFIG_KPROBES)");
	release(traced);
	err = load(tracer, traced, function, how);
	if (!err)
		err = map_memory(traced->skel->maps.bss, CELLS_SIZE, &traced->cells);
	if (!err)
		err = attach(traced, how);
	if (err)
		release(traced);
	return err;
}

void func_tracer_count(struct func_tracer *tracer, bool on)
{
	const struct timespec moment = { .tv_nsec = 20 * NSEC_PER_MSEC };

	__atomic_store_n(tracer->counting, (u64)on, __ATOMIC_SEQ_CST);
	/* It returns when what was running has ended. Some kernels do not offer it. */
	if (!on && syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0))
		nanosleep(&moment, NULL);
}

int func_tracer_find_unfinished(struct func_tracer *tracer)
{
	int fd = bpf_iter_create(bpf_link__fd(tracer->unfinished_link));
	char nothing[64];
	ssize_t got;

	if (fd < 0)
		return error_set(errno, "cannot iterate over tasks: %s", strerror(errno));
	do {
		got = read(fd, nothing, sizeof(nothing));
	} while (got > 0 || (got < 0 && (errno == EINTR || errno == EAGAIN)));
	close(fd);
	return got < 0 ? error_set(errno, "cannot iterate over tasks: %s", strerror(errno)) : 0;
}

void func_tracer_read(struct func_tracer *tracer, unsigned int function, struct func_totals *totals)
{
	const struct func_leftover *leftover = &tracer->leftovers[function];

	memset(totals, 0, sizeof(*totals));
	latency_sums_init(&totals->sums);
	totals->never_returned = leftover->never_returned;
	totals->unfinished = leftover->unfinished;
	for (unsigned int i = 0; i < FUNC_NR_CELLS; i++) {
		struct func_cell *live = &tracer->traced[function].cells[i];
		struct func_cell cell = *live;

		cell.max_ns = __atomic_exchange_n(&live->max_ns, 0, __ATOMIC_SEQ_CST);
		cell.min_inverted = __atomic_exchange_n(&live->min_inverted, 0, __ATOMIC_SEQ_CST);
		latency_sums_add(&totals->sums, &cell);
		totals->entries += cell.entries;
		totals->deepest = max_u64(totals->deepest, cell.deepest);
		totals->no_storage += cell.no_storage;
		totals->too_deep += cell.too_deep;
		totals->never_entered += cell.never_entered;
		totals->clock_went_back += cell.clock_went_back;
	}
	/* Calls that are in no other are too many to have that counted. */
	totals->deepest = max_u64(totals->deepest, totals->entries > 0);
}

u64 func_tracer_missed(const struct func_tracer *tracer, unsigned int function)
{
	struct bpf_program *enter = tracer->traced[function].enter;
	struct bpf_prog_info info = {};
	u32 size = sizeof(info);

	if (!enter || bpf_obj_get_info_by_fd(bpf_program__fd(enter), &info, &size))
		return 0;
	return info.recursion_misses;
}
