// The yardstick for the compiled engine: expectiminimax, Star1 and Star2 (one probe) in C++17, over the two tables of
// `expectitree/tree.py`, with the same intervals, windows, cuts and visit counts, to the last bit, as the loops in
// `searches/backward_induction.py` and `searches/compiled_depth_first.py`. It recurses: a chain of a
// million nodes is not for it.
//
//     g++ -std=c++17 -O3 -march=native reference.cpp -o reference
//     ./reference FOLDER expectiminimax|star1|star2 LOWER UPPER EPS REPEATS [DUMP]
//
// FOLDER holds the columns as raw little-endian files: kind.bin (uint8), utility.bin (double), first.bin and child.bin
// (uint32), probability.bin (double). LOWER and UPPER are the root's bounds, with which every node starts, and its
// window. One line of JSON is printed; "seconds" are those of each search alone, its columns made ready before. DUMP
// (any word) writes the columns visits.bin (uint32), lower.bin and upper.bin (double) to FOLDER.
//
// Written for speed. Measured on complete trees, of 2.6 million nodes with 40 children each and of 2.0 million with 6:
// the same search iterative, with a frame struct, took up to 5 % longer with 40 and a quarter longer with 6. `OPEN`
// saves up to 11 %; testing a child for exactness before its window is computed, and no window for terminals below
// CHANCE, 5 to 16 %; copying eight terminals at a time a fifth of backward induction with 40. Prefetching did not help.

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <limits>
#include <string>

#pragma GCC optimize("fp-contract=off")  // a fused multiply-add rounds once where Python rounds twice

namespace {

constexpr double INF = std::numeric_limits<double>::infinity();
constexpr double MOST = std::numeric_limits<double>::max();

enum Kind : uint8_t { TERMINAL, MAX, MIN, CHANCE };
enum Cut : uint8_t { NOT_CUT, ALPHA_CUT, BETA_CUT, CHANCE_CUT_LOW, CHANCE_CUT_HIGH, PROBED, CUT_PROBING = 8 };
using Id = uint32_t;

// The tree's columns and the search's, by the names that they have in Python.
size_t nodes, branches;
const Kind* kind;
const Id *first, *child;
const double *utility, *probability;
double *lower, *upper, *alpha_at, *beta_at, *low_term, *high_term;
Id *visits, *cut_after;
Cut* cut;
double eps, few_eps;
bool probes;
uint64_t cuts;

void backward_induction(double* __restrict value) {
    for (size_t n = 0; n < nodes; ++n) {
        if (kind[n] == TERMINAL) {
            value[n] = utility[n];
            continue;
        }
        const Id begin = first[n], end = first[n + 1];
        double result;
        if (kind[n] == CHANCE) {
            result = 0;
#pragma GCC unroll 4
            for (Id b = begin; b < end; ++b) result += probability[b] * value[child[b]];
        } else if (kind[n] == MAX) {
            result = value[child[begin]];
            for (Id b = begin + 1; b < end; ++b) result = std::max(result, value[child[b]]);
        } else {
            result = value[child[begin]];
            for (Id b = begin + 1; b < end; ++b) result = std::min(result, value[child[b]]);
        }
        value[n] = result;
    }
}

struct Interval {
    double low, high;
};

template <Kind K, bool PROBE>
Interval player(Id node, double alpha, double beta);
Interval chance(Id node, double alpha, double beta);

Interval enter(Id node, Kind k, double alpha, double beta) {
    return k == MAX   ? player<MAX, false>(node, alpha, beta)
           : k == MIN ? player<MIN, false>(node, alpha, beta)
                      : chance(node, alpha, beta);
}

Interval visit(Id terminal) {
    const double u = utility[terminal];
    visits[terminal] += 1;
    lower[terminal] = upper[terminal] = u;
    return {u, u};
}

void begin_entry(Id node, double alpha, double beta) {
    visits[node] += 1;
    alpha_at[node] = alpha;
    beta_at[node] = beta;
}

// A cut is one, and counts, if a child from branch `b` on is not exact.
Cut cut_where_open(Cut how, Id b, Id end) {
    for (; b < end; ++b)
        if (probability[b] > 0 && lower[child[b]] < upper[child[b]]) return ++cuts, how;
    return NOT_CUT;
}

template <Kind K>
Interval narrow(Id node, double low, double high) {
    if (high > low + few_eps) {
        if (lower[node] > low) low = lower[node];
        if (upper[node] < high) high = upper[node];
    }
    if (high != low && high <= low + few_eps) {
        if (K == MAX) high = low;
        else if (K == MIN) low = high;
        else low = high = (low + high) / 2;
    }
    lower[node] = low;
    upper[node] = high;
    return {low, high};
}

// MAX or MIN; a probe is for the first child only.
template <Kind K, bool PROBE>
[[gnu::noinline]] Interval player(Id node, double alpha, double beta) {
    begin_entry(node, alpha, beta);
    double low = K == MAX ? -INF : INF, high = low;
    const Id begin = first[node], end = PROBE ? begin + 1 : first[node + 1];
    Id branch = begin;
    Cut how = PROBE ? PROBED : NOT_CUT;
    while (true) {
        const Id c = child[branch];
        const double child_alpha = K == MAX && low > alpha ? low : alpha;
        const double child_beta = K == MIN && high < beta ? high : beta;
        Interval found{lower[c], upper[c]};
        if (found.low < found.high && found.high > child_alpha + eps && found.low < child_beta - eps)
{
            const Kind k = kind[c];
            found = k == TERMINAL ? visit(c) : enter(c, k, child_alpha, child_beta);
        }
        if (K == MAX ? found.low > low : found.low < low) low = found.low;
        if (K == MAX ? found.high > high : found.high < high) high = found.high;
        if (++branch == end) break;
        if (K == MAX ? low >= beta - eps : high <= alpha + eps) {
            how = K == MAX ? BETA_CUT : ALPHA_CUT;
            break;
        }
    }
    if (how != NOT_CUT) {
        cut_after[node] = branch - begin;
        if (!PROBE) how = cut_where_open(how, branch, end);
        if (K == MAX) high = upper[node];
        else low = lower[node];
    }
    cut[node] = how;
    return narrow<K>(node, low, high);
}

// The running sums at CHANCE, of p * lower and p * upper over all outcomes; infinite terms are counted apart. Where
// there are none at first (OPEN is false) there are none later.
struct Sums {
    double low = 0, high = 0;
    Id low_open = 0, high_open = 0;
};

template <bool OPEN>
bool fails_low(const Sums& s, double alpha) {
    return (!OPEN || s.high_open == 0) && s.high <= alpha + eps;
}

template <bool OPEN>
bool fails_high(const Sums& s, double beta) {
    return (!OPEN || s.low_open == 0) && s.low >= beta - eps;
}

template <bool OPEN>
Interval child_window(const Sums& s, Id branch, double p, double alpha, double beta) {
    Interval window{-INF, INF};
    const double low = low_term[branch], high = high_term[branch];
    if (alpha > -INF && (!OPEN || s.high_open == 0 || (s.high_open == 1 && high == INF)))
        window.low = std::min((alpha - (OPEN && s.high_open ? s.high : s.high - high)) / p, MOST);
    if (beta < INF && (!OPEN || s.low_open == 0 || (s.low_open == 1 && low == -INF)))
        window.high = std::max((beta - (OPEN && s.low_open ? s.low : s.low - low)) / p, -MOST);
    return window;
}

template <bool OPEN>
void take_in(Sums& s, Id branch, double p, Interval found) {
    const double low = p * found.low, old_low = low_term[branch];
    if (!OPEN || old_low > -INF) low_term[branch] = low, s.low += low - old_low;
    else if (found.low > -INF) low_term[branch] = low, s.low += low, --s.low_open;
    const double high = p * found.high, old_high = high_term[branch];
    if (!OPEN || old_high < INF) high_term[branch] = high, s.high += high - old_high;
    else if (found.high < INF) high_term[branch] = high, s.high += high, --s.high_open;
}

template <bool OPEN>
[[gnu::noinline]] Interval outcomes(Id node, double alpha, double beta, Sums s) {
    const Id begin = first[node], end = first[node + 1];
    Id branch = begin;
    bool failed = fails_low<OPEN>(s, alpha) || fails_high<OPEN>(s, beta), probing = false;
    if (probes && !failed) {
        for (; branch < end && !failed; ++branch) {
            const double p = probability[branch];
            const Id c = child[branch];
            const Kind k = kind[c];
            if (!(p > 0) || lower[c] == upper[c] || k == CHANCE) continue;
            Interval found;
            if (k == TERMINAL) {
                found = visit(c);
            } else {
                const Interval window = child_window<OPEN>(s, branch, p, alpha, beta);
                found = k == MAX ? player<MAX, true>(c, window.low, window.high)
                                 : player<MIN, true>(c, window.low, window.high);
            }
            take_in<OPEN>(s, branch, p, found);
            failed = fails_low<OPEN>(s, alpha) || fails_high<OPEN>(s, beta);
        }
        probing = failed;
        if (!failed) branch = begin;
    }
    for (; branch < end && !failed; ++branch) {
        const double p = probability[branch];
        if (!(p > 0)) continue;
        const Id c = child[branch];
        Interval found{lower[c], upper[c]};
        if (found.low < found.high) {
            const Kind k = kind[c];
            if (k == TERMINAL) {
                found = visit(c);  // one that is not exact satisfies no window while this node fails neither way
            } else {
                const Interval window = child_window<OPEN>(s, branch, p, alpha, beta);
                if (found.high > window.low + eps && found.low < window.high - eps)
                    found = enter(c, k, window.low, window.high);
            }
        }
        take_in<OPEN>(s, branch, p, found);
        failed = fails_low<OPEN>(s, alpha) || fails_high<OPEN>(s, beta);
    }
    cut[node] = NOT_CUT;
    if (branch < end || probing) {
        const int how = (fails_low<OPEN>(s, alpha) ? CHANCE_CUT_LOW : CHANCE_CUT_HIGH) + (probing ? CUT_PROBING : 0);
        cut_after[node] = branch - begin;
        cut[node] = cut_where_open(Cut(how), probing ? begin : branch, end);
    }
    double low = 0, high = 0;  // afresh, in branch order, as backward induction sums; an infinity stays one
    for (Id b = begin; b < end; ++b) {
        const double p = probability[b];
        if (!(p > 0)) continue;
        low += p * lower[child[b]];
        high += p * upper[child[b]];
    }
    return narrow<CHANCE>(node, low, high);
}

[[gnu::noinline]] Interval chance(Id node, double alpha, double beta) {
    begin_entry(node, alpha, beta);
    const Id begin = first[node], end = first[node + 1];
    Sums s;
    for (Id b = begin; b < end; ++b) {
        const double p = probability[b];
        if (!(p > 0)) continue;
        const Id c = child[b];
        s.low += low_term[b] = p * lower[c];
        s.high += high_term[b] = p * upper[c];
    }
    if (s.low > -INF && s.high < INF) return outcomes<false>(node, alpha, beta, s);
    s = Sums();
    for (Id b = begin; b < end; ++b) {
        if (!(probability[b] > 0)) continue;
        if (low_term[b] > -INF) s.low += low_term[b];
        else ++s.low_open;
        if (high_term[b] < INF) s.high += high_term[b];
        else ++s.high_open;
    }
    return outcomes<true>(node, alpha, beta, s);
}

// Memory in huge pages where the system has such, as NumPy's is; freed as the program ends.
template <class T>
T* column(size_t size) {
    constexpr size_t PAGE = size_t(1) << 21;
    const size_t bytes = (size * sizeof(T) / PAGE + 1) * PAGE;
    void* data = std::aligned_alloc(PAGE, bytes);
    if (!data) std::exit((std::fputs("out of memory\n", stderr), 1));
    madvise(data, bytes, MADV_HUGEPAGE);
    return static_cast<T*>(data);
}

template <class T>
size_t read(const T*& data, const std::string& path) {
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    if (!file) std::exit((std::fprintf(stderr, "cannot read %s\n", path.c_str()), 1));
    const size_t size = size_t(file.tellg()) / sizeof(T);
    T* into = column<T>(size);
    file.seekg(0).read(reinterpret_cast<char*>(into), std::streamsize(size * sizeof(T)));
    data = into;
    return size;
}

template <class T>
void write(const T* data, const std::string& path) {
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(data), std::streamsize(nodes * sizeof(T)));
}

}  // namespace

// The processor's time: on a machine that others use too, a clock on the wall says little.
double cpu_seconds() {
    timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

int main(int argc, char** argv) {
    const std::string algorithm = argc < 7 ? "" : argv[2];
    if (algorithm != "expectiminimax" && algorithm != "star1" && algorithm != "star2") {
        std::fputs("usage: reference FOLDER expectiminimax|star1|star2 LOWER UPPER EPS REPEATS [DUMP]\n", stderr);
        return 2;
    }
    const std::string folder = std::string(argv[1]) + "/";
    const double least = std::strtod(argv[3], nullptr), greatest = std::strtod(argv[4], nullptr);
    eps = std::strtod(argv[5], nullptr), few_eps = 4 * eps, probes = algorithm == "star2";
    nodes = read(kind, folder + "kind.bin"), branches = read(child, folder + "child.bin");
    read(first, folder + "first.bin"), read(utility, folder + "utility.bin");
    read(probability, folder + "probability.bin");
    for (double** by_node : {&lower, &upper, &alpha_at, &beta_at}) *by_node = column<double>(nodes);
    for (double** by_branch : {&low_term, &high_term}) *by_branch = column<double>(branches);
    visits = column<Id>(nodes), cut_after = column<Id>(nodes), cut = column<Cut>(nodes);

    const Id root = Id(nodes - 1);
    std::string seconds;
    for (int i = 0; i < std::max(1, std::atoi(argv[6])); ++i) {
        for (double* by_node : {alpha_at, beta_at}) std::fill_n(by_node, nodes, 0);
        for (double* by_branch : {low_term, high_term}) std::fill_n(by_branch, branches, 0);
        std::fill_n(lower, nodes, least), std::fill_n(upper, nodes, greatest);
        std::fill_n(visits, nodes, 0), std::fill_n(cut_after, nodes, 0), std::fill_n(cut, nodes, NOT_CUT), cuts = 0;
        const double start = cpu_seconds();
        if (algorithm == "expectiminimax") backward_induction(lower);
        else if (kind[root] == TERMINAL) visit(root);
        else enter(root, kind[root], least, greatest);
        const double time = cpu_seconds() - start;
        char text[32];
        std::snprintf(text, sizeof text, "%s%.17g", i ? ", " : "", time);
        seconds += text;
    }
    if (algorithm == "expectiminimax") std::fill_n(visits, nodes, 1), std::copy_n(lower, nodes, upper);
    unsigned long long visited = 0, leaves = 0, entries = 0;
    for (size_t n = 0; n < nodes; ++n) {
        visited += visits[n] > 0;
        leaves += visits[n] > 0 && kind[n] == TERMINAL;
        entries += visits[n];
    }
    std::printf("{\"value\": %.17g, \"lower\": %.17g, \"upper\": %.17g, \"nodes_visited\": %llu, "
                "\"leaves_visited\": %llu, \"visits\": %llu, \"cuts\": %llu, \"seconds\": [%s]}\n",
                lower[root], lower[root], upper[root], visited, leaves, entries,
                static_cast<unsigned long long>(cuts), seconds.c_str());
    if (argc > 7) {
        write(visits, folder + "visits.bin");
        write(lower, folder + "lower.bin");
        write(upper, folder + "upper.bin");
    }
}
