"""Graph layout: positions of nodes, edges and labels."""
