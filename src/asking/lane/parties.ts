/** A batch that has not asked for so long, and has no call, does not keep a share of the judge. */
const LATELY_MS = 60_000
const SWEEP_MS = 15_000

/** The batches that share a judge: those with calls, waiting or in flight, and those that asked for their share lately. */
interface Parties {
  count(): number
  /** It asked for its share. */
  ask(party: string, now: number): void
  begin(party: string | null): void
  end(party: string | null, now: number): void
  forget(party: string): void
}

interface Member {
  calls: number
  asked: number
}

export function createParties(): Parties {
  const members = new Map<string, Member>()
  let swept = Number.NEGATIVE_INFINITY
  const idle = (member: Member, now: number) => member.calls === 0 && now - member.asked >= LATELY_MS
  function sweep(now: number): void {
    if (now - swept < SWEEP_MS) return
    swept = now
    for (const [party, member] of members) if (idle(member, now)) members.delete(party)
  }
  function memberOf(party: string): Member {
    const known = members.get(party)
    if (known !== undefined) return known
    const member: Member = { calls: 0, asked: Number.NEGATIVE_INFINITY }
    members.set(party, member)
    return member
  }
  return {
    count: () => members.size,
    ask(party, now) {
      memberOf(party).asked = now
      sweep(now)
    },
    begin(party) {
      if (party !== null) memberOf(party).calls += 1
    },
    end(party, now) {
      const member = party === null ? undefined : members.get(party)
      if (party === null || member === undefined) return
      member.calls -= 1
      if (idle(member, now)) members.delete(party)
    },
    forget(party) {
      const member = members.get(party)
      if (member === undefined) return
      member.asked = Number.NEGATIVE_INFINITY
      if (member.calls === 0) members.delete(party)
    },
  }
}
