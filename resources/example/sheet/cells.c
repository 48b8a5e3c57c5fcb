#include <stdlib.h>
#include <string.h>
#include "sheet.h"

enum { BUCKETS = 64 };

static struct entry {
    char name[8];
    struct cell cell;
    struct entry *next;
} *buckets[BUCKETS];

static unsigned hash(const char *name, size_t length)
{
    unsigned value = 5381;
    for (size_t i = 0; i < length; i++)
        value = value * 33 + (unsigned char)name[i];
    return value % BUCKETS;
}

static size_t name_length(const char *name)
{
    size_t length = 1;
    while (name[length] >= '0' && name[length] <= '9')
        length++;
    return length;
}

/* The cell of that name, made where there is none. */
struct cell *cell_named(const char *name)
{
    size_t length = name_length(name);
    struct entry **bucket = &buckets[hash(name, length)];
    for (struct entry *e = *bucket; e; e = e->next)
        if (strncmp(e->name, name, length) == 0 && e->name[length] == '\0')
            return &e->cell;
    struct entry *made = calloc(1, sizeof *made);
    memcpy(made->name, name, length);
    made->next = *bucket;
    *bucket = made;
    return &made->cell;
}

void set_cell(const char *name, const char *text)
{
    struct cell *cell = cell_named(name);
    strncpy(cell->text, text, sizeof cell->text - 1);
    cell->is_known = 0;
}

/* What the formula of a cell comes to; worked out once. */
double cell_value(struct cell *cell)
{
    if (!cell->is_known) {
        const char *at = cell->text;
        cell->value = expression(&at);
        cell->is_known = 1;
    }
    return cell->value;
}

void forget_values(void)
{
    for (int i = 0; i < BUCKETS; i++)
        for (struct entry *e = buckets[i]; e; e = e->next)
            e->cell.is_known = 0;
}
