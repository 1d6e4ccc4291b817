package retry

import "time"

// Budget is the share of requests that may be retries.
const Budget = 0.1

// Do calls f until it succeeds, the budget is spent, or the deadline has passed.
func Do(deadline time.Time, f func() error) error {
	var err error
	for pause := 50 * time.Millisecond; time.Now().Before(deadline); pause *= 2 {
		if err = f(); err == nil {
			return nil
		}
		time.Sleep(pause)
	}
	return err
}
