def public_facts(world): return {}
