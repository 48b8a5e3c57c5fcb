#include <stdlib.h>
#include <string.h>

struct node {
    struct node *next;
    char text[40];
};

static struct node *prepend(struct node *list, const char *text)
{
    struct node *node = malloc(sizeof *node);
    node->next = list;
    strcpy(node->text, text);
    return node;
}

static struct node *build(int count)
{
    struct node *list = 0;
    for (int i = 0; i < count; i++)
        list = prepend(list, "word");
    return list;
}

static int lengths(const struct node *list)
{
    int sum = 0;
    for (; list; list = list->next)
        sum += strlen(list->text);
    return sum;
}

static void release(struct node *list)
{
    while (list) {
        struct node *next = list->next;
        free(list);
        list = next;
    }
}

int main(void)
{
    char *buffer = calloc(1, 10000);
    struct node *kept = build(30), *list = build(50);
    memset(buffer, 1, 5000);
    buffer = realloc(buffer, 20000);
    int sum = lengths(list) + lengths(kept);
    release(list);
    char *copy = strdup("never freed");
    return (sum + buffer[0] + copy[0]) & 1;
}
