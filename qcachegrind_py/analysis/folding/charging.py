# cython: language_level=3, boundscheck=False, wraparound=False
# cython: initializedcheck=False, cdivision=True
"""Passes the costs of folded functions up to their callers, call by call.

The module is compiled if there is a C compiler (types in `charging.pxd`) and interpreted otherwise,
on memoryviews. Folding 50,000 functions takes 15 ms here; with numpy, which needs 90 µs for each of
them, it would take 4 s.

A *region* is a set of folded functions of one part that call each other in a circle; most consist
of one function. Regions are numbered so that callees come first, and an *entry* is a call into a
region from elsewhere, whether by a function that remains or by one of another region. What a region
costs is divided among its entries in proportion to their recorded costs, in each event by itself. A
*callback* is a call from a region to a function that remains; its count and cost are divided in
the same way. Where the entries cost as much as there is to divide, each gets exactly its own cost.

The *owner* of a region is the function that remains and makes all its calls, directly or through
other regions. It is charged with all of the region's cost, so that its sums are proven even where
the share of each of its calls is not.
"""

from __future__ import annotations

try:
    import cython
except ImportError:  # an installation without a compiler has no Cython either
    from qcachegrind_py.profile import cython_shim as cython


def pass_up(
    first,
    source,
    owner,
    callee,
    weight,
    back_first,
    back_callee,
    back_weight,
    amount,
    charge,
    exact,
    state,
    merged,
    passed,
    limits,
):
    """Charge each entry with its share of the region that it calls; return how many calls follow.

    All arguments are int64 memoryviews. Rows of `weight`, `back_weight` and the like are the events
    and, behind them, the count of calls.

    The entries of region c are `first[c]` to `first[c + 1]`; `source` is the region of each one's
    caller, -1 if that remains, `callee` the function called, and `weight` its costs and count.
    `owner` is the owner of each region, -1 if it has none (`find_owners`).
    The callbacks of region c are `back_first[c]` to `back_first[c + 1]`, to `back_callee`, with
    costs and counts in `back_weight`. `amount`, shape (events, regions), has the self costs of the
    regions, and `charge`, shape (events, entries), gets what each entry is charged with. `exact`,
    shape (2, entries), tells whether that is proven, rather than an estimate, and whether the sum
    over the entries of one caller is.

    A region remains if nobody calls it, or if more than `limits[0]` pairs of entry and callback
    meet in it, or `limits[1]` in all. `state`, shape (4, regions), is 1 for those in its last row;
    the first must be -1, the others zero.

    The calls that take the place of callbacks are written to the columns of `passed`: entry,
    callee, whether they are proven, whether their sum for one caller is, or 2 if they are the entry
    itself, whose callee remains; a link to the next call of a region; and costs and count.
    `merged`, shape (rows of `weight` + 4, functions), is zero, and working memory.
    """
    with cython.nogil:
        return pass_all(
            first,
            source,
            owner,
            callee,
            weight,
            back_first,
            back_callee,
            back_weight,
            amount,
            charge,
            exact,
            state,
            merged,
            passed,
            limits,
        )


def find_owners(first, source, caller, owner):
    """Write the owner of each region to `owner`, an int64 memoryview; -1 if it has none.

    `caller` is the function that makes the call of each entry; the others are as in `pass_up`.
    """
    region: cython.Py_ssize_t
    entry: cython.Py_ssize_t
    found: cython.longlong
    with cython.nogil:
        for region in range(owner.shape[0] - 1, -1, -1):
            owner[region] = -1
            for entry in range(first[region], first[region + 1]):
                found = caller[entry] if source[entry] < 0 else owner[source[entry]]
                if entry > first[region] and found != owner[region]:
                    owner[region] = -1
                    break
                owner[region] = found


def pass_all(
    first,
    source,
    owner,
    callee,
    weight,
    back_first,
    back_callee,
    back_weight,
    amount,
    charge,
    exact,
    state,
    merged,
    passed,
    limits,
):
    """Handle one region after the other, callees first."""
    region: cython.Py_ssize_t
    entry: cython.Py_ssize_t
    entries: cython.Py_ssize_t
    callees: cython.Py_ssize_t
    used: cython.Py_ssize_t = 0
    pairs: cython.Py_ssize_t = 0
    events: cython.Py_ssize_t = amount.shape[0]
    row: cython.Py_ssize_t
    there: cython.Py_ssize_t
    proven: cython.bint
    sum_proven: cython.bint
    for region in range(state.shape[1]):
        entries = first[region + 1] - first[region]
        callees = merge(region, back_first, back_callee, back_weight, state, merged, passed)
        if entries == 0 or callees * entries > limits[0] or pairs + callees * entries > limits[1]:
            used = leave(region, used, first, source, callee, weight, state, passed)
            continue
        proven = entries == 1 or (callees == 0 and adds_up(region, first, weight, amount))
        sum_proven = (proven or owner[region] >= 0) and state[2, region] == 0
        proven = proven and state[1, region] == 0
        for row in range(events):
            divide(amount[row, region], row, region, first, weight, charge, row, first[region])
        for entry in range(first[region], first[region + 1]):
            exact[0, entry] = proven
            exact[1, entry] = sum_proven
            if source[entry] >= 0:
                if not proven:
                    state[1, source[entry]] = 1
                if not sum_proven:
                    state[2, source[entry]] = 1
                for row in range(events):
                    amount[row, source[entry]] = cython.cast(
                        cython.longlong, amount[row, source[entry]] + charge[row, entry]
                    )
        pairs += callees * entries
        for there in range(callees):
            used = pass_callback(
                there, used, region, first, source, owner, weight, state, merged, passed
            )
    return used


def leave(region, used, first, source, callee, weight, state, passed):
    """Let a region remain: its entries are callbacks of the regions that they come from."""
    entry: cython.Py_ssize_t
    row: cython.Py_ssize_t
    state[3, region] = 1
    for entry in range(first[region], first[region + 1]):
        if source[entry] >= 0:
            used = push(used, entry, callee[entry], 1, 2, source[entry], state, passed)
            for row in range(weight.shape[0]):
                passed[5 + row, used - 1] = weight[row, entry]
    return used


def merge(region, back_first, back_callee, back_weight, state, merged, passed):
    """Sum the callbacks of a region and those passed on to it by callee; return how many there are.

    The rows of `merged` are: by function, the last region that called it, from 1; the functions
    found, in order; by function whether each call's share of the sums is proven, and whether a
    caller's is; and the sums.
    """
    index: cython.Py_ssize_t
    row: cython.Py_ssize_t
    function: cython.Py_ssize_t
    found: cython.Py_ssize_t = 0
    rows: cython.Py_ssize_t = back_weight.shape[0]
    for index in range(back_first[region], back_first[region + 1]):
        function = back_callee[index]
        found = begin(function, found, region, rows, merged)
        for row in range(rows):
            merged[4 + row, function] = cython.cast(
                cython.longlong, merged[4 + row, function] + back_weight[row, index]
            )
    index = state[0, region]
    while index >= 0:
        function = passed[1, index]
        found = begin(function, found, region, rows, merged)
        for row in range(2, 4):
            if passed[row, index] == 0:
                merged[row, function] = 0
        for row in range(rows):
            merged[4 + row, function] = cython.cast(
                cython.longlong, merged[4 + row, function] + passed[5 + row, index]
            )
        index = passed[4, index]
    return found


def begin(function, found, region, rows, merged):
    """Begin the sums of a function unless they are begun; return how many functions there are."""
    row: cython.Py_ssize_t
    if merged[0, function] == region + 1:
        return found
    merged[0, function] = region + 1
    merged[1, found] = function
    merged[2, function] = 1
    merged[3, function] = 1
    for row in range(rows):
        merged[4 + row, function] = 0
    return found + 1


def pass_callback(there, used, region, first, source, owner, weight, state, merged, passed):
    """Divide one callback of a region among its entries; return how many calls were passed on."""
    entry: cython.Py_ssize_t
    row: cython.Py_ssize_t
    function: cython.Py_ssize_t = merged[1, there]
    begun: cython.Py_ssize_t = used
    entries: cython.Py_ssize_t = first[region + 1] - first[region]
    proven: cython.bint = merged[2, function] == 1 and entries == 1
    sum_proven: cython.bint = merged[3, function] == 1 and (entries == 1 or owner[region] >= 0)
    for entry in range(first[region], first[region + 1]):
        used = push(used, entry, function, proven, sum_proven, source[entry], state, passed)
    for row in range(weight.shape[0]):
        divide(merged[4 + row, function], row, region, first, weight, passed, 5 + row, begun)
    return used


def push(used, entry, function, proven, sum_proven, region, state, passed):
    """Append a call, and link it to those of the region that it comes from, if any."""
    passed[0, used] = entry
    passed[1, used] = function
    passed[2, used] = proven
    passed[3, used] = sum_proven
    if region >= 0:
        passed[4, used] = state[0, region]
        state[0, region] = used
    return used + 1


def adds_up(region, first, weight, amount):
    """Whether the entries of a region have exactly its cost, in all events."""
    row: cython.Py_ssize_t
    for row in range(amount.shape[0]):
        if not is_sum(amount[row, region], row, first[region], first[region + 1], weight):
            return False
    return True


def divide(total, row, region, first, weight, result, line, place):
    """Write the shares of the entries of a region to `result[line, place:]`; they add up exactly.

    They are proportional to the weights in one row; to the counts, in the last row, where that row
    has none or negative ones; and equal where there is neither.
    """
    entry: cython.Py_ssize_t
    start: cython.Py_ssize_t = first[region]
    stop: cython.Py_ssize_t = first[region + 1]
    kind: cython.Py_ssize_t
    whole: cython.double
    share: cython.double
    sum_so_far: cython.double = 0
    is_even: cython.bint
    given: cython.longlong = 0
    upto: cython.longlong
    if is_sum(total, row, start, stop, weight):
        for entry in range(start, stop):
            result[line, place + entry - start] = weight[row, entry]
        return
    kind = row
    whole = sum_of(kind, start, stop, weight)
    if whole <= 0:
        kind = weight.shape[0] - 1
        whole = sum_of(kind, start, stop, weight)
    is_even = whole <= 0
    if is_even:
        whole = stop - start
    for entry in range(start, stop):
        if is_even:
            sum_so_far += 1
        else:
            sum_so_far += weight[kind, entry]
        upto = total
        if sum_so_far < whole:
            share = total * (sum_so_far / whole)
            upto = cython.cast(cython.longlong, share + (0.5 if share >= 0 else -0.5))
        result[line, place + entry - start] = cython.cast(cython.longlong, upto - given)
        given = upto


def is_sum(total, row, start, stop, weight):
    """Whether the weights of the entries add up to the total."""
    entry: cython.Py_ssize_t
    rest: cython.longlong = total
    for entry in range(start, stop):
        rest = cython.cast(cython.longlong, rest - weight[row, entry])
    return rest == 0


def sum_of(row, start, stop, weight):
    """Return the sum of the weights; -1 if one of them is negative."""
    entry: cython.Py_ssize_t
    total: cython.double = 0
    for entry in range(start, stop):
        if weight[row, entry] < 0:
            return -1
        total += weight[row, entry]
    return total
