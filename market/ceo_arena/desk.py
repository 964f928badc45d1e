"""placeholder"""
class CompanyDesk:
    def __init__(self, world, seat): self.world, self.seat = world, seat
