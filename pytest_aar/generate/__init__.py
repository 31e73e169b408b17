"""Making legs over the sandbox world: eight steps, each from one frozen type to the next.

crawl (PageGraph) -> plan (RoutePlan) -> build -> validate -> link -> augment -> execute ->
verbalize (Draft to Draft) -> Leg.
The steps meet in `pipeline` and `draft` and don't import each other.
"""
