from market.commerce.facts import observe
class CommerceDesk:
    def __init__(self, world, seat): self.world=world; self.seat=seat
    def facts(self): return observe(self.world,self.seat-1)
