"""The search algorithms, the engine that runs them, and the result they share."""
