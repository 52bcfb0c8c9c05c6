/* SPDX-License-Identifier: MIT
 *
 * kelso.h and kelso_solve.h for Python: plain functions on tuples and capsules.  kelso/__init__.py
 * makes classes of them; nobody else should import this module.
 *
 * A position is five integers (black men, black kings, white men, white kings, turn); a move is
 * (path, captured, crowns).  The interpreter's lock is released wherever a call may take long. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <kelso_solve.h>

enum { LINE_ROOM = 2048, POSITION_INTEGERS = 5 };

static const char TABLES[] = "kelso_tables";
static const char ENDING[] = "kelso_ending";
static const char SOLVER[] = "kelso_solver";
static const char SEARCH[] = "kelso_search";

struct state {
    PyObject *error; /* kelso.Error, with a status */
};

static struct state *state_of(PyObject *module)
{
    return (struct state *)PyModule_GetState(module);
}

/* Raise kelso.Error(status, text); returns NULL. */
static PyObject *raise(PyObject *module, const kelso_error *e)
{
    PyObject *args = Py_BuildValue("(is)", (int)e->status, e->text);

    if (args) {
        PyErr_SetObject(state_of(module)->error, args);
        Py_DECREF(args);
    }
    return NULL;
}

/* ------------------------------------------------------------ arguments, results -- */

/* For "O&": five integers. */
static int position_from(PyObject *o, void *out)
{
    kelso_position *p = out;
    int turn;

    if (!PyArg_ParseTuple(o, "IIIIi;a position is five integers", &p->black_men, &p->black_kings,
                          &p->white_men, &p->white_kings, &turn))
        return 0;
    p->turn = (kelso_side)turn;
    return 1;
}

static PyObject *position_to(const kelso_position *p)
{
    return Py_BuildValue("(IIIIi)", p->black_men, p->black_kings, p->white_men, p->white_kings,
                         (int)p->turn);
}

static PyObject *move_to(const kelso_move *m)
{
    PyObject *path = PyTuple_New(m->length);

    for (int i = 0; path && i < m->length; i++) {
        PyObject *n = PyLong_FromLong(m->path[i]);

        if (!n)
            Py_CLEAR(path);
        else
            PyTuple_SET_ITEM(path, i, n);
    }
    return path ? Py_BuildValue("(NIN)", path, m->captured, PyBool_FromLong(m->crowns)) : NULL;
}

/* A list of `count` objects, the i-th made by `make(items, i)`. */
static PyObject *list_of(int count, PyObject *(*make)(const void *items, int i), const void *items)
{
    PyObject *list = PyList_New(count);

    for (int i = 0; list && i < count; i++) {
        PyObject *o = make(items, i);

        if (!o)
            Py_CLEAR(list);
        else
            PyList_SET_ITEM(list, i, o);
    }
    return list;
}

static PyObject *move_item(const void *items, int i)
{
    return move_to((const kelso_move *)items + i);
}

static PyObject *plies_to(int plies)
{
    return plies < 0 ? Py_NewRef(Py_None) : PyLong_FromLong(plies);
}

static PyObject *answer_to(const kelso_answer *a)
{
    return Py_BuildValue("(iN)", (int)a->value, plies_to(a->plies));
}

/* ---------------------------------------------------------------- positions, moves -- */

static PyObject *py_parse(PyObject *module, PyObject *args)
{
    kelso_position p;
    kelso_error e;
    const char *fen;

    if (!PyArg_ParseTuple(args, "s", &fen))
        return NULL;
    return kelso_position_parse(fen, &p, &e) ? raise(module, &e) : position_to(&p);
}

static PyObject *py_format(PyObject *module, PyObject *args)
{
    char fen[KELSO_FEN_MAX];
    kelso_position p;

    (void)module;
    if (!PyArg_ParseTuple(args, "O&", position_from, &p))
        return NULL;
    return PyUnicode_FromString(kelso_position_format(&p, fen));
}

static PyObject *py_moves(PyObject *module, PyObject *args)
{
    kelso_move moves[KELSO_MOVES_MAX];
    kelso_position p;
    kelso_error e;
    int count;

    if (!PyArg_ParseTuple(args, "O&", position_from, &p))
        return NULL;
    if (kelso_moves(&p, moves, &count, &e))
        return raise(module, &e);
    return list_of(count, move_item, moves);
}

static PyObject *py_move_parse(PyObject *module, PyObject *args)
{
    kelso_position p;
    kelso_error e;
    kelso_move m;
    const char *text;

    if (!PyArg_ParseTuple(args, "O&s", position_from, &p, &text))
        return NULL;
    return kelso_move_parse(&p, text, &m, &e) ? raise(module, &e) : move_to(&m);
}

/* play(position, path) */
static PyObject *py_play(PyObject *module, PyObject *args)
{
    kelso_position p, after;
    kelso_move m = {0};
    kelso_error e;
    PyObject *path;

    if (!PyArg_ParseTuple(args, "O&O!", position_from, &p, &PyTuple_Type, &path))
        return NULL;
    if (PyTuple_GET_SIZE(path) > KELSO_PATH_MAX) {
        PyErr_SetString(PyExc_ValueError, "a path has at most 10 squares");
        return NULL;
    }
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(path); i++) {
        long n = PyLong_AsLong(PyTuple_GET_ITEM(path, i));

        if (n == -1 && PyErr_Occurred())
            return NULL;
        m.path[m.length++] = n < 1 || n > 32 ? 0 : (uint8_t)n;
    }
    return kelso_play(&p, &m, &after, &e) ? raise(module, &e) : position_to(&after);
}

/* ------------------------------------------------------------------------- tables -- */

static void tables_free(PyObject *capsule)
{
    kelso_tables *t = PyCapsule_GetPointer(capsule, TABLES);

    kelso_close(&t);
}

static int tables_from(PyObject *o, void *out)
{
    kelso_tables **t = out;

    return (*t = PyCapsule_GetPointer(o, TABLES)) != NULL;
}

static PyObject *py_open(PyObject *module, PyObject *args)
{
    unsigned long long cache;
    const char *directory;
    kelso_tables *t;
    kelso_status rc;
    kelso_error e;

    if (!PyArg_ParseTuple(args, "zK", &directory, &cache))
        return NULL;
    Py_BEGIN_ALLOW_THREADS rc = kelso_open(&t, directory, cache, &e);
    Py_END_ALLOW_THREADS return rc ? raise(module, &e) : PyCapsule_New(t, TABLES, tables_free);
}

static PyObject *py_pieces(PyObject *module, PyObject *args)
{
    kelso_tables *t;

    (void)module;
    return PyArg_ParseTuple(args, "O&", tables_from, &t) ? PyLong_FromLong(kelso_pieces(t)) : NULL;
}

static PyObject *slice_item(const void *items, int i)
{
    const kelso_slice *s = (const kelso_slice *)items + i;

    return Py_BuildValue("(siiiii)", s->name, s->kings, s->men, s->other_kings, s->other_men,
                         s->kinds);
}

static PyObject *py_slices(PyObject *module, PyObject *args)
{
    kelso_tables *t;
    kelso_slice *slices;
    kelso_status rc;
    kelso_error e;
    PyObject *list;
    int count;

    if (!PyArg_ParseTuple(args, "O&", tables_from, &t))
        return NULL;
    rc = kelso_slices(t, NULL, 0, &count, &e);
    if (rc && rc != KELSO_NO_ROOM)
        return raise(module, &e);
    if (!(slices = PyMem_New(kelso_slice, count + 1)))
        return PyErr_NoMemory();
    rc = kelso_slices(t, slices, count, &count, &e);
    list = rc ? raise(module, &e) : list_of(count, slice_item, slices);
    PyMem_Free(slices);
    return list;
}

static kelso_status probe_kind(kelso_tables *t, const kelso_position *p, int kind, kelso_answer *a,
                               kelso_error *e)
{
    a->plies = -1;
    return kind == KELSO_DTW   ? kelso_probe_dtw(t, p, a, e)
           : kind == KELSO_DTC ? kelso_probe_dtc(t, p, a, e)
                               : kelso_probe_wld(t, p, &a->value, e);
}

static PyObject *py_probe(PyObject *module, PyObject *args)
{
    kelso_position p;
    kelso_tables *t;
    kelso_answer a;
    kelso_status rc;
    kelso_error e;
    int kind;

    if (!PyArg_ParseTuple(args, "O&O&i", tables_from, &t, position_from, &p, &kind))
        return NULL;
    Py_BEGIN_ALLOW_THREADS rc = probe_kind(t, &p, kind, &a, &e);
    Py_END_ALLOW_THREADS return rc ? raise(module, &e) : answer_to(&a);
}

/* The value, or None if it would have to wait. */
static PyObject *py_at_hand(PyObject *module, PyObject *args)
{
    kelso_position p;
    kelso_tables *t;
    kelso_value v;
    kelso_status rc;
    kelso_error e;

    if (!PyArg_ParseTuple(args, "O&O&", tables_from, &t, position_from, &p))
        return NULL;
    rc = kelso_probe_wld_at_hand(t, &p, &v, &e);
    if (rc == KELSO_NOT_AT_HAND)
        Py_RETURN_NONE;
    return rc ? raise(module, &e) : PyLong_FromLong(v);
}

/* A buffer of 32-bit integers, five a position, to a bytearray of signed bytes. */
static PyObject *py_probe_batch(PyObject *module, PyObject *args)
{
    kelso_position *positions;
    PyObject *values = NULL;
    const uint32_t *in;
    kelso_tables *t;
    kelso_status rc;
    kelso_error e;
    Py_buffer b;
    size_t count;

    if (!PyArg_ParseTuple(args, "O&y*", tables_from, &t, &b))
        return NULL;
    count = (size_t)b.len / (POSITION_INTEGERS * 4);
    in = b.buf;
    if (b.len % (POSITION_INTEGERS * 4) || (uintptr_t)in % 4) {
        PyErr_SetString(PyExc_ValueError, "positions are five aligned 32-bit integers each");
    } else if (!(positions = PyMem_New(kelso_position, count + 1)) ||
               !(values = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)count))) {
        PyErr_NoMemory();
    } else {
        for (size_t i = 0; i < count; i++, in += POSITION_INTEGERS)
            positions[i] =
                (kelso_position){in[0], in[1], in[2], in[3], (kelso_side)(in[4] > 1 ? 2 : in[4])};
        Py_BEGIN_ALLOW_THREADS rc =
            kelso_probe_batch(t, positions, count, (int8_t *)PyByteArray_AS_STRING(values), &e);
        Py_END_ALLOW_THREADS if (rc)
        {
            Py_CLEAR(values);
            raise(module, &e);
        }
        PyMem_Free(positions);
    }
    PyBuffer_Release(&b);
    return values;
}

static PyObject *ranked_item(const void *items, int i)
{
    const kelso_ranked_move *m = (const kelso_ranked_move *)items + i;

    return Py_BuildValue("(NiNN)", move_to(&m->move), (int)m->value, plies_to(m->dtw),
                         plies_to(m->dtc));
}

static PyObject *py_ranked(PyObject *module, PyObject *args)
{
    kelso_ranked_move moves[KELSO_MOVES_MAX];
    kelso_position p;
    kelso_tables *t;
    kelso_status rc;
    kelso_error e;
    int count;

    if (!PyArg_ParseTuple(args, "O&O&", tables_from, &t, position_from, &p))
        return NULL;
    Py_BEGIN_ALLOW_THREADS rc = kelso_probe_moves(t, &p, moves, &count, &e);
    Py_END_ALLOW_THREADS return rc ? raise(module, &e) : list_of(count, ranked_item, moves);
}

static PyObject *py_line(PyObject *module, PyObject *args)
{
    kelso_move *moves;
    kelso_line_end end;
    kelso_position p;
    kelso_tables *t;
    kelso_status rc;
    kelso_error e;
    PyObject *out;
    int kind, count;

    if (!PyArg_ParseTuple(args, "O&O&i", tables_from, &t, position_from, &p, &kind))
        return NULL;
    if (!(moves = PyMem_New(kelso_move, LINE_ROOM)))
        return PyErr_NoMemory();
    Py_BEGIN_ALLOW_THREADS rc =
        kelso_line(t, &p, (kelso_kind)kind, moves, LINE_ROOM, &count, &end, &e);
    Py_END_ALLOW_THREADS out =
        rc ? raise(module, &e) : Py_BuildValue("(Ni)", list_of(count, move_item, moves), (int)end);
    PyMem_Free(moves);
    return out;
}

/* ------------------------------------------------------------------------ progress -- */

/* Calls a Python function with the share that is done; false or an exception cancels. */
struct progress {
    PyObject *function; /* borrowed; None: there is none */
};

static int progress_call(void *context, double share)
{
    const struct progress *p = context;
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject *answer = PyErr_Occurred() ? NULL : PyObject_CallFunction(p->function, "d", share);
    int go_on = answer && answer != Py_False;

    Py_XDECREF(answer);
    if (PyErr_CheckSignals())
        go_on = 0;
    PyGILState_Release(gil);
    return go_on;
}

/* Without a function, still hear Ctrl-C. */
static int progress_signals(void *context, double share)
{
    PyGILState_STATE gil = PyGILState_Ensure();
    int go_on = !PyErr_CheckSignals();

    (void)context;
    (void)share;
    PyGILState_Release(gil);
    return go_on;
}

/* The result of a job that was watched: an exception of the function's goes first. */
static PyObject *job_done(PyObject *module, kelso_status rc, const kelso_error *e)
{
    if (PyErr_Occurred())
        return NULL;
    if (rc)
        return raise(module, e);
    Py_RETURN_NONE;
}

static PyObject *py_check(PyObject *module, PyObject *args)
{
    struct progress p;
    kelso_tables *t;
    kelso_status rc;
    kelso_error e;
    int threads;

    if (!PyArg_ParseTuple(args, "O&iO", tables_from, &t, &threads, &p.function))
        return NULL;
    Py_BEGIN_ALLOW_THREADS rc =
        kelso_check(t, threads, p.function == Py_None ? progress_signals : progress_call, &p, &e);
    Py_END_ALLOW_THREADS return job_done(module, rc, &e);
}

/* ------------------------------------------------------------------------- endings -- */

static void ending_free(PyObject *capsule)
{
    kelso_ending *e = PyCapsule_GetPointer(capsule, ENDING);

    kelso_ending_close(&e);
}

static int ending_from(PyObject *o, void *out)
{
    kelso_ending **e = out;

    return (*e = PyCapsule_GetPointer(o, ENDING)) != NULL;
}

static PyObject *py_ending_open(PyObject *module, PyObject *args)
{
    kelso_ending *ending;
    kelso_position p;
    kelso_error e;
    int conversions;

    if (!PyArg_ParseTuple(args, "O&p", position_from, &p, &conversions))
        return NULL;
    if (kelso_ending_open(&ending, &p, conversions, &e))
        return raise(module, &e);
    return PyCapsule_New(ending, ENDING, ending_free);
}

/* (values, bytes) */
static PyObject *py_ending_size(PyObject *module, PyObject *args)
{
    kelso_ending *ending;
    int threads;

    (void)module;
    if (!PyArg_ParseTuple(args, "O&i", ending_from, &ending, &threads))
        return NULL;
    return Py_BuildValue("(KK)", (unsigned long long)kelso_ending_values(ending),
                         (unsigned long long)kelso_ending_bytes(ending, threads));
}

static PyObject *py_ending_solve(PyObject *module, PyObject *args)
{
    unsigned long long memory;
    kelso_ending *ending;
    struct progress p;
    kelso_status rc;
    kelso_error e;
    int threads;

    if (!PyArg_ParseTuple(args, "O&iKO", ending_from, &ending, &threads, &memory, &p.function))
        return NULL;
    Py_BEGIN_ALLOW_THREADS rc = kelso_ending_solve(
        ending, threads, memory, p.function == Py_None ? progress_signals : progress_call, &p, &e);
    Py_END_ALLOW_THREADS return job_done(module, rc, &e);
}

static PyObject *py_ending_probe(PyObject *module, PyObject *args)
{
    kelso_ending *ending;
    kelso_position p;
    kelso_answer a;
    kelso_error e;
    int kind;

    if (!PyArg_ParseTuple(args, "O&O&i", ending_from, &ending, position_from, &p, &kind))
        return NULL;
    if (kelso_ending_probe(ending, &p, (kelso_kind)kind, &a, &e))
        return raise(module, &e);
    return answer_to(&a);
}

/* ------------------------------------------------------------------------- module -- */

static PyObject *py_version(PyObject *module, PyObject *args)
{
    (void)module;
    (void)args;
    return PyUnicode_FromString(kelso_version());
}

/* set_error(class): what raise() raises. */
static PyObject *py_set_error(PyObject *module, PyObject *class)
{
    Py_XSETREF(state_of(module)->error, Py_NewRef(class));
    Py_RETURN_NONE;
}

/* ------------------------------------------------------------------ solver, search -- */

/* A capsule whose tables stay open as long as it is there. */
static PyObject *capsule_on(void *handle, const char *name, PyCapsule_Destructor free,
                            PyObject *tables)
{
    PyObject *capsule = PyCapsule_New(handle, name, free);

    if (capsule)
        PyCapsule_SetContext(capsule, Py_NewRef(tables));
    return capsule;
}

static void solver_free(PyObject *capsule)
{
    kelso_solver *s = PyCapsule_GetPointer(capsule, SOLVER);

    kelso_solver_close(&s);
    Py_XDECREF((PyObject *)PyCapsule_GetContext(capsule));
}

static int solver_from(PyObject *o, void *out)
{
    kelso_solver **s = out;

    return (*s = PyCapsule_GetPointer(o, SOLVER)) != NULL;
}

static PyObject *py_solver_open(PyObject *module, PyObject *args)
{
    unsigned long long memory;
    kelso_resources r = {0};
    kelso_tables *tables;
    kelso_solver *solver;
    PyObject *capsule, *made;
    kelso_error e;

    if (!PyArg_ParseTuple(args, "OKi", &capsule, &memory, &r.threads) ||
        !tables_from(capsule, &tables))
        return NULL;
    r.memory = memory;
    if (kelso_solver_open(&solver, tables, &r, &e))
        return raise(module, &e);
    if (!(made = capsule_on(solver, SOLVER, solver_free, capsule)))
        kelso_solver_close(&solver);
    return made;
}

/* (lower, upper, nodes, probes, seconds, cancelled) */
static PyObject *py_solver_solve(PyObject *module, PyObject *args)
{
    unsigned long long nodes;
    kelso_limits limits = {0};
    kelso_solution found;
    kelso_solver *solver;
    kelso_position p;
    struct progress watch;
    kelso_status rc;
    kelso_error e;

    if (!PyArg_ParseTuple(args, "O&O&dKO", solver_from, &solver, position_from, &p, &limits.seconds,
                          &nodes, &watch.function))
        return NULL;
    limits.nodes = nodes;
    Py_BEGIN_ALLOW_THREADS rc = kelso_solver_solve(
        solver, &p, &limits, watch.function == Py_None ? progress_signals : progress_call, &watch,
        &found, &e);
    Py_END_ALLOW_THREADS if (PyErr_Occurred()) return NULL;
    if (rc && rc != KELSO_CANCELLED)
        return raise(module, &e);
    return Py_BuildValue("(iiKKdN)", (int)found.lower, (int)found.upper,
                         (unsigned long long)found.nodes, (unsigned long long)found.probes,
                         found.seconds, PyBool_FromLong(rc == KELSO_CANCELLED));
}

static PyObject *py_solver_line(PyObject *module, PyObject *args)
{
    kelso_move moves[KELSO_PV_MAX];
    kelso_solver *solver;
    kelso_status rc;
    kelso_error e;
    int count;

    if (!PyArg_ParseTuple(args, "O&", solver_from, &solver))
        return NULL;
    Py_BEGIN_ALLOW_THREADS rc = kelso_solver_line(solver, moves, KELSO_PV_MAX, &count, &e);
    Py_END_ALLOW_THREADS return rc ? raise(module, &e) : list_of(count, move_item, moves);
}

static PyObject *py_solver_write_proof(PyObject *module, PyObject *args)
{
    kelso_solver *solver;
    const char *path;
    kelso_status rc;
    kelso_error e;

    if (!PyArg_ParseTuple(args, "O&s", solver_from, &solver, &path))
        return NULL;
    Py_BEGIN_ALLOW_THREADS rc = kelso_solver_write_proof(solver, path, &e);
    Py_END_ALLOW_THREADS return job_done(module, rc, &e);
}

/* (position, lower, upper) */
static PyObject *py_proof_check(PyObject *module, PyObject *args)
{
    kelso_value lower, upper;
    kelso_tables *tables;
    kelso_position p;
    const char *path;
    kelso_status rc;
    kelso_error e;

    if (!PyArg_ParseTuple(args, "O&s", tables_from, &tables, &path))
        return NULL;
    Py_BEGIN_ALLOW_THREADS rc = kelso_proof_check(tables, path, &p, &lower, &upper, &e);
    Py_END_ALLOW_THREADS if (rc) return raise(module, &e);
    return Py_BuildValue("(Nii)", position_to(&p), (int)lower, (int)upper);
}

static void search_free(PyObject *capsule)
{
    kelso_search *s = PyCapsule_GetPointer(capsule, SEARCH);

    kelso_search_close(&s);
    Py_XDECREF((PyObject *)PyCapsule_GetContext(capsule));
}

static int search_from(PyObject *o, void *out)
{
    kelso_search **s = out;

    return (*s = PyCapsule_GetPointer(o, SEARCH)) != NULL;
}

static PyObject *py_search_open(PyObject *module, PyObject *args)
{
    unsigned long long memory;
    kelso_resources r = {0};
    kelso_tables *tables = NULL;
    kelso_search *search;
    PyObject *capsule, *made;
    kelso_error e;

    if (!PyArg_ParseTuple(args, "OKi", &capsule, &memory, &r.threads) ||
        (capsule != Py_None && !tables_from(capsule, &tables)))
        return NULL;
    r.memory = memory;
    if (kelso_search_open(&search, tables, &r, &e))
        return raise(module, &e);
    if (!(made = capsule_on(search, SEARCH, search_free, capsule)))
        kelso_search_close(&search);
    return made;
}

/* (score, value or None, plies, depth, nodes, seconds, line) */
static PyObject *found_to(const kelso_found *f)
{
    PyObject *value = f->proven ? PyLong_FromLong((long)f->value) : Py_NewRef(Py_None);

    return Py_BuildValue("(iNNiKdN)", f->score, value, plies_to(f->plies), f->depth,
                         (unsigned long long)f->nodes, f->seconds,
                         list_of(f->length, move_item, f->line));
}

static PyObject *py_search_run(PyObject *module, PyObject *args)
{
    unsigned long long nodes;
    kelso_limits limits = {0};
    kelso_search *search;
    kelso_position p;
    kelso_found found;
    struct progress watch;
    kelso_status rc;
    kelso_error e;

    if (!PyArg_ParseTuple(args, "O&O&dKiO", search_from, &search, position_from, &p,
                          &limits.seconds, &nodes, &limits.depth, &watch.function))
        return NULL;
    limits.nodes = nodes;
    Py_BEGIN_ALLOW_THREADS rc = kelso_search_run(
        search, &p, &limits, watch.function == Py_None ? progress_signals : progress_call, &watch,
        &found, &e);
    Py_END_ALLOW_THREADS if (PyErr_Occurred()) return NULL;
    return rc && rc != KELSO_CANCELLED ? raise(module, &e) : found_to(&found);
}

static PyMethodDef methods[] = {
    {"version", py_version, METH_NOARGS, NULL},
    {"set_error", py_set_error, METH_O, NULL},
    {"parse", py_parse, METH_VARARGS, NULL},
    {"format", py_format, METH_VARARGS, NULL},
    {"moves", py_moves, METH_VARARGS, NULL},
    {"move_parse", py_move_parse, METH_VARARGS, NULL},
    {"play", py_play, METH_VARARGS, NULL},
    {"open", py_open, METH_VARARGS, NULL},
    {"pieces", py_pieces, METH_VARARGS, NULL},
    {"slices", py_slices, METH_VARARGS, NULL},
    {"probe", py_probe, METH_VARARGS, NULL},
    {"at_hand", py_at_hand, METH_VARARGS, NULL},
    {"probe_batch", py_probe_batch, METH_VARARGS, NULL},
    {"ranked", py_ranked, METH_VARARGS, NULL},
    {"line", py_line, METH_VARARGS, NULL},
    {"check", py_check, METH_VARARGS, NULL},
    {"ending_open", py_ending_open, METH_VARARGS, NULL},
    {"ending_size", py_ending_size, METH_VARARGS, NULL},
    {"ending_solve", py_ending_solve, METH_VARARGS, NULL},
    {"ending_probe", py_ending_probe, METH_VARARGS, NULL},
    {"solver_open", py_solver_open, METH_VARARGS, NULL},
    {"solver_solve", py_solver_solve, METH_VARARGS, NULL},
    {"solver_line", py_solver_line, METH_VARARGS, NULL},
    {"solver_write_proof", py_solver_write_proof, METH_VARARGS, NULL},
    {"proof_check", py_proof_check, METH_VARARGS, NULL},
    {"search_open", py_search_open, METH_VARARGS, NULL},
    {"search_run", py_search_run, METH_VARARGS, NULL},
    {0},
};

static int module_traverse(PyObject *module, visitproc visit, void *arg)
{
    Py_VISIT(state_of(module)->error);
    return 0;
}

static int module_clear(PyObject *module)
{
    Py_CLEAR(state_of(module)->error);
    return 0;
}

static int module_exec(PyObject *module)
{
    state_of(module)->error = Py_NewRef(PyExc_RuntimeError);
    return 0;
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, (void *)module_exec}, {0}};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,   .m_name = "kelso._kelso", .m_size = sizeof(struct state),
    .m_methods = methods,    .m_slots = slots,         .m_traverse = module_traverse,
    .m_clear = module_clear,
};

PyMODINIT_FUNC PyInit__kelso(void)
{
    return PyModuleDef_Init(&definition);
}
