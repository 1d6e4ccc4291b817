package billing

// Tariff is one row of the price list that a customer has signed.
type Tariff struct {
	Code  string
	Cents int64
}

// Round never loses a cent: amounts are integers.
func (t Tariff) Round() int64 { return t.Cents }
