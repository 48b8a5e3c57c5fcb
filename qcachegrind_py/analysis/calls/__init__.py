"""Callers and callees, near and far: graphs, trees and maps of calls."""
