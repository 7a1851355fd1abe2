//! How leases end: what happens to the URL, to its host's rest, and to what was found.

use super::*;

impl<S: Storage> StoredFrontier<S> {
    /// Gives a URL its next state. It was leased through its own entry or through a claim.
    fn end_entry(
        &mut self,
        base: UrlId,
        leased_by: UrlId,
        settled: &Settled<'_>,
        now: Timestamp,
    ) -> Result<(), FrontierError> {
        self.touch(base);
        let revisit = settled.lease.revisit;
        let entry = &mut self.entries[base];
        if settled.end == End::Retry {
            entry.attempt = entry.attempt.saturating_add(1);
            if revisit {
                self.hosts[entry.host.0 as usize].revisits.push(base.0);
            } else {
                self.missed_raises(base)?;
                self.enqueue(base, now);
            }
            return Ok(());
        }
        entry.set(flag::REVISIT, false);
        entry.attempt = 0;
        if !revisit {
            entry.state = match settled.end {
                End::Fetched { .. } => State::Fetched,
                _ => State::Gone,
            };
            entry.slot_or_child = UrlId::NONE.0;
        }
        // A page that can no longer be fetched keeps its earlier judgement.
        if let End::Fetched { relevance } = settled.end {
            entry.tie_or_relevance = relevance.to_bits();
        }
        let is_sitemap = self.entries[base].has(flag::SITEMAP);
        let mut found = self.entries[if revisit { self.found_by(base) } else { leased_by }];
        found.set(flag::SITEMAP, is_sitemap);
        // What it gained while the request was in flight stays.
        self.entries[leased_by].gain(-settled.lease.taken.rank.score.get());
        let is_redirect = matches!(settled.end, End::Redirected { .. });
        let evidence = if is_redirect {
            self.evidence_of(leased_by)?
        } else {
            None
        };
        if !revisit {
            self.end_claims(base, leased_by, now)?;
        }
        if let End::Redirected { to, key, merge } = &settled.end {
            let target = self.redirect(&found, settled.lease, to, *key, *merge, now)?;
            // A note is about links, and links to the source are links to the target.
            if let Some(evidence) = evidence.filter(|evidence| !evidence.note.is_empty())
                && let Some(waiting) = self.waiting_entry(*key, settled.lease.agent)
                && self.evidence_of(waiting)?.is_none()
            {
                self.put_evidence(waiting, &evidence);
            }
            self.stand_for(base, target, settled.lease)?;
        }
        Ok(())
    }

    /// Everything that follows from the end of a lease, once the lease has been taken in.
    pub(super) fn end_lease(
        &mut self,
        out: Out,
        settled: Settled<'_>,
        now: Timestamp,
    ) -> Result<(), FrontierError> {
        let agent = out.agent;
        // Before claims end: whatever they leave over is either cash or nothing.
        let gives = |update: &Update| matches!(update, Update::Offer(offer) if offer.merge == Merge::Add);
        if !self.claims.is_empty() {
            self.has_cash = self.has_cash || settled.updates.iter().any(gives);
        }
        let counts = !matches!(settled.end, End::Redirected { .. });
        let mut own_effect = settled.host_effect;
        // The host itself got no request. If the other one failed, it has to wait all the same.
        if out.visited.is_some() && matches!(own_effect, HostEffect::Asked | HostEffect::Costly(_)) {
            own_effect = HostEffect::Untouched;
        }
        let host = &mut self.hosts[out.host.0 as usize];
        if out.kind == LeaseKind::Page && counts && settled.host_effect != HostEffect::Untouched {
            host.pages += 1;
            self.pages += 1;
        }
        if out.kind == LeaseKind::Robots {
            self.end_rules(&out, &settled, now);
        }
        if let Some(visited) = out.visited {
            self.apply_effect(visited, settled.host_effect, now);
            self.place(visited, now);
        }
        self.apply_effect(out.host, own_effect, now);
        let host = &mut self.hosts[out.host.0 as usize];
        match settled.host_effect {
            HostEffect::Asked if out.kind != LeaseKind::Robots => host.proven = true,
            HostEffect::Failed | HostEffect::Costly(_) => host.proven = false,
            _ => {}
        }

        if let Some(leased_by) = out.url {
            let id = self.base_of(leased_by);
            self.end_entry(id, leased_by, &settled, now)?;
            let source = match out.kind {
                // A sitemap lists pages. It is not a parent, or every page of a site would be a sibling of every
                // other.
                LeaseKind::Sitemap => Source {
                    agent,
                    parent: UrlId::NONE,
                    depth: settled.lease.depth.saturating_add(1),
                    reason: Reason::Sitemap,
                    flags: 0,
                    adopt: false,
                },
                _ => Source {
                    agent,
                    parent: id,
                    depth: settled.lease.depth.saturating_add(1),
                    reason: Reason::Link,
                    flags: 0,
                    adopt: settled.lease.revisit || self.entries[id].state != State::Fetched,
                },
            };
            self.look_ahead(settled.updates);
            for update in settled.updates {
                self.apply(update, &source, now)?;
            }
            if self.policy.all_parents && out.kind == LeaseKind::Page && !settled.links.is_empty() {
                self.keep_children(id, settled.lease, settled.links)?;
            }
        }
        let source = Source {
            agent: self.policy.requisites.unwrap_or_default(),
            parent: out.url.map_or(UrlId::NONE, |leased_by| self.base_of(leased_by)),
            depth: settled.lease.depth.saturating_add(1),
            reason: Reason::Requisite,
            flags: 0,
            adopt: false,
        };
        for requisite in settled.requisites {
            self.offer(requisite, &source, now)?;
        }
        // A sitemap named by another is one level deeper, so that the crawl notices when they never end.
        let deeper = u16::from(out.kind == LeaseKind::Sitemap);
        let source = Source {
            // A host may be asked for its rules because of a requisite. Its sitemaps are the first agent's even so.
            agent: if self.policy.requisites == Some(agent) {
                AgentId::default()
            } else {
                agent
            },
            parent: UrlId::NONE,
            depth: settled.lease.depth.saturating_add(deeper),
            reason: Reason::SitemapLine,
            flags: flag::SITEMAP,
            adopt: false,
        };
        for sitemap in settled.sitemaps {
            self.offer(sitemap, &source, now)?;
        }
        self.place(out.host, now);
        self.keep_within_bounds(now)
    }

    /// Lets a host rest as the end of a request to it requires.
    fn apply_effect(&mut self, id: HostId, effect: HostEffect, now: Timestamp) {
        let host = &mut self.hosts[id.0 as usize];
        match effect {
            HostEffect::Asked | HostEffect::Costly(_) => host.failures = 0,
            HostEffect::Failed => host.failures = host.failures.saturating_add(1),
            HostEffect::Later(_) | HostEffect::Untouched => {}
        }
        let jitter = self.keyring.hash(&host.origin).rotate_left(host.failures.into());
        let rested = self.policy.rest_until(host, effect, now, jitter);
        // With several requests in flight, a good response must not cut short a rest that another one caused.
        host.rest_until = host.rest_until.max(rested);
        self.touch_host(id);
    }

    /// Offers the target of a redirect in place of its source, and returns the entry the target is known by.
    fn redirect(
        &mut self,
        from: &Entry,
        lease: &Lease,
        to: &CanonicalUrl,
        key: UrlKey,
        merge: Merge,
        now: Timestamp,
    ) -> Result<UrlId, FrontierError> {
        let offer = Offer {
            url: to.clone(),
            key,
            rank: lease.taken.rank,
            merge,
        };
        let redirects = from.redirects.saturating_add(1);
        let source = Source {
            agent: lease.agent,
            parent: from.parent,
            depth: from.depth,
            reason: Reason::Redirect,
            flags: from.flags & (flag::SEED | flag::SITEMAP),
            adopt: true,
        };
        let known = self.find_moved(key);
        let new = match known {
            None => self.add_new(&offer, &source, redirects, now)?,
            Some(base) if self.may_enter_again(base) => {
                self.entries[base].redirects = redirects;
                self.bring_back(base, offer.rank, lease.taken.age, lease.agent, now)?;
                base
            }
            Some(base) => match self.entry_of(base, lease.agent) {
                None if self.entries[base].waits() => {
                    self.add_claim(base, &offer, &source, redirects, now)?
                }
                own => {
                    let met = self.gathers_on(base, own);
                    self.merge(met, offer.rank, merge, now);
                    if from.has(flag::SEED) {
                        self.mark_seed(met);
                    }
                    return Ok(base);
                }
            },
        };
        if from.has(flag::SEED) {
            self.mark_seed(new);
        }
        if known != Some(new) {
            self.entries.set_age(new, lease.taken.age);
            self.reorder(new, now);
            if let Some(parent) = from.parent.known() {
                self.adopt(parent, new);
            }
        }
        Ok(known.unwrap_or(new))
    }

    /// Remembers that a URL redirects to another.
    fn stand_for(&mut self, from: UrlId, target: UrlId, lease: &Lease) -> Result<(), FrontierError> {
        // Two URLs that redirect to each other stand for neither.
        if target != from && !lease.revisit {
            let entry = &mut self.entries[from];
            entry.set(flag::MOVED, true);
            entry.slot_or_child = target.0;
            self.touch(from);
            if self.policy.all_parents {
                self.pass_parents_on(from, target)?;
            }
        }
        Ok(())
    }
}
