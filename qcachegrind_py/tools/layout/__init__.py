"""Placing the nodes, edges and labels of a graph."""
