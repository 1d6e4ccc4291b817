package gate

import (
	"context"
	"net/http"
	"time"
)

// maxWait is how long a lorry's request may hang before the lane turns red.
const maxWait = 8 * time.Second

// Handler opens the barrier for a booking.
type Handler struct {
	bookings Bookings
	barrier  Barrier
}

// ServeHTTP answers the kiosk.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), maxWait)
	defer cancel()
	booking, err := h.bookings.Find(ctx, r.URL.Query().Get("plate"))
	if err != nil {
		http.Error(w, "GATE-102", http.StatusServiceUnavailable)
		return
	}
	h.barrier.Open(ctx, booking.Lane)
}
