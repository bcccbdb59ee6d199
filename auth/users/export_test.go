package users

import (
	"context"
	"time"
)

// DeliverDue is one round of Deliver.
func (s *Service) DeliverDue(ctx context.Context) time.Duration { return s.box.Round(ctx, ctx) }
