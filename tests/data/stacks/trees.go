// A small concurrent program that records its CPU and heap profiles: go build; ./trees
package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"sort"
	"strings"
	"sync"
)

type tree struct {
	left, right *tree
	value       int
}

func insert(t *tree, value int) *tree {
	if t == nil {
		return &tree{value: value}
	}
	if value < t.value {
		t.left = insert(t.left, value)
	} else {
		t.right = insert(t.right, value)
	}
	return t
}

func square(x int) int { return x * x % 1000003 }

func numbers(n int) int {
	sum := 0
	for i := 0; i < n; i++ {
		sum += square(i) ^ sum>>3
	}
	return sum
}

func words(n int) []string {
	var list []string
	for i := 0; i < n; i++ {
		list = append(list, strings.Repeat(fmt.Sprintf("%x-", square(i)), 3))
	}
	sort.Strings(list)
	return list
}

func worker(name string, work func() int, results chan<- int, group *sync.WaitGroup) {
	defer group.Done()
	pprof.Do(context.Background(), pprof.Labels("worker", name), func(context.Context) {
		total := 0
		for i := 0; i < 12; i++ {
			total += work()
		}
		results <- total
	})
}

var kept []*tree
var lists [][]string

func main() {
	runtime.MemProfileRate = 64 * 1024
	cpu, _ := os.Create("go-cpu.pb.gz")
	pprof.StartCPUProfile(cpu)
	var group sync.WaitGroup
	results := make(chan int, 3)
	group.Add(3)
	var lock sync.Mutex
	go worker("trees", func() int {
		var t *tree
		for i := 0; i < 40000; i++ {
			t = insert(t, square(i))
		}
		lock.Lock()
		kept = append(kept, t)
		lock.Unlock()
		return t.value
	}, results, &group)
	go worker("numbers", func() int { return numbers(20000000) }, results, &group)
	go worker("words", func() int {
		l := words(20000)
		lists = append(lists, l)
		return len(l)
	}, results, &group)
	group.Wait()
	pprof.StopCPUProfile()
	cpu.Close()
	heap, _ := os.Create("go-heap.pb.gz")
	runtime.GC()
	pprof.WriteHeapProfile(heap)
	heap.Close()
	fmt.Println(<-results+<-results+<-results, len(kept), len(lists))
}
