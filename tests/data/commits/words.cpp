#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#define NOINLINE __attribute__((noinline))

template <class T> struct Longer {
    bool operator()(const T &a, const T &b) const { return a.first.size() > b.first.size(); }
};
template <class T> struct Larger {
    bool operator()(const T &a, const T &b) const { return a.first.size() > b.first.size(); }
};

std::vector<std::string> split(const char *text, size_t length)
{
    std::vector<std::string> words;
    const char *end = text + length;
    while (text < end) {
        const char *blank = static_cast<const char *>(memchr(text, ' ', end - text));
        if (!blank) blank = end;
        words.emplace_back(text, blank - text);
        text = blank + 1;
    }
    return words;
}

NOINLINE unsigned hash(const char *word, size_t length)
{
    unsigned h = 2166136261u;
    for (size_t i = 0; i < length; i++)
        h = (h ^ static_cast<unsigned char>(word[i])) * 16777619u;
    return h;
}

template <class Counts, class Compare>
NOINLINE void arrange(Counts &counts, Compare compare)
{
    for (size_t i = 1; i < counts.size(); i++)
        for (size_t j = i; j > 0 && compare(counts[j], counts[j - 1]); j--)
            std::swap(counts[j], counts[j - 1]);
}

NOINLINE int scale(int value) { return value * 3 + 1; }

NOINLINE int sum(const std::vector<int> &values, int start)
{
    int total = start;
    for (int value : values) total = total * 5 + scale(value);
    return total;
}

NOINLINE std::vector<std::pair<std::string, int>> count(const std::vector<std::string> &words)
{
    std::vector<std::vector<std::pair<std::string, int>>> table(64);
    for (const std::string &word : words) {
        auto &bucket = table[hash(word.data(), word.size()) % table.size()];
        auto found = std::find_if(bucket.begin(), bucket.end(),
            [&](const auto &each) { return each.first == word; });
        if (found == bucket.end()) bucket.emplace_back(word, 1);
        else found->second++;
    }
    std::vector<std::pair<std::string, int>> all;
    for (auto &bucket : table) all.insert(all.end(), bucket.begin(), bucket.end());
    return all;
}

void report(const std::vector<std::pair<std::string, int>> &counts)
{
    char line[200];
    for (const auto &each : counts) {
        snprintf(line, sizeof line, "%-40s %d", each.first.c_str(), each.second);
        fputs(line, stdout);
        fputc('\n', stdout);
    }
}

int main()
{
    std::string text;
    unsigned seed = 1;
    char word[64];
    for (int i = 0; i < 4000; i++) {
        seed = seed * 1103515245u + 12345u;
        memset(word, 'a' + (seed >> 16) % 20, sizeof word);
        text.append(word, 1 + (seed >> 20) % 40);
        text += ' ';
    }
    std::vector<std::string> words = split(text.data(), text.size());
    auto counts = count(words);
    arrange(counts, Longer<std::pair<std::string, int>>());
    std::vector<int> numbers;
    for (auto &each : counts) numbers.push_back(each.second);
    int total = 0;
    for (int i = 0; i < 100; i++) total = sum(numbers, total);
    report(counts);
    printf("%d\n", total);
}
