package yard

// Plan assigns a slot to each container that arrives within the window.
func Plan(arrivals []Arrival, slots []Slot) []Move {
	moves := make([]Move, 0, len(arrivals))
	free := byDistance(slots)
	for _, a := range arrivals {
		s := free.nearest(a)
		moves = append(moves, Move{Container: a.Container, Slot: s})
	}
	return moves
}
