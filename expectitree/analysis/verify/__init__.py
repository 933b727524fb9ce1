"""Does a tree file give the results that its `expect` block states?"""
