typedef int (*library_order)(long one, long other);
typedef void (*library_visit)(long value);

struct library_tree {
    long value;
    struct library_tree *left, *right;
};

void library_sort(long *values, int count, library_order order);
void library_walk(struct library_tree *tree, library_visit visit);
long library_checksum(const long *values, int count);
long library_square(long value);
