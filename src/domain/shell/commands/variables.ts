interface Variable {
  readonly values: readonly string[]
  readonly isSure: boolean
  /** The count of settings when it was set. */
  readonly at: number
}

/** A name, and what it was. */
type Before = readonly [string, Variable | undefined]

/**
 * The variables of a script. One that is set where it is not sure that it runs, or before a file that may set it, has its value only perhaps: what is
 * put together from it, and what it decides, is a guess.
 */
export class Variables {
  /** How often such a value was read. */
  guesses = 0
  private readonly all = new Map<string, Variable>()
  private owned: Before[] = []
  /** What to put back when the process ends; null: in that of the script. */
  private undo: Before[] | null = null
  private count = 0
  private doubtedUntil = 0

  has(name: string): boolean {
    return this.all.has(name)
  }

  get(name: string): readonly string[] | undefined {
    const known = this.all.get(name)
    if (known !== undefined && (!known.isSure || known.at <= this.doubtedUntil)) this.guesses++
    return known?.values
  }

  set(name: string, values: readonly string[], isSure = true): void {
    this.put(name, { values, isSure, at: ++this.count })
  }

  delete(name: string): void {
    if (this.all.has(name)) this.put(name, undefined)
  }

  /** It may be set to something else. */
  doubt(name: string): void {
    const known = this.all.get(name)
    if (known !== undefined) this.put(name, { ...known, isSure: false })
  }

  /** What is not followed may set any of them. */
  doubtAll(): void {
    this.doubtedUntil = this.count
  }

  /** Does something with these names of its own, and with those that it calls so: afterwards they are what they were. */
  own<T>(names: readonly string[], work: () => T): T {
    const from = this.owned.length
    for (const name of names) this.ownHere(name)
    const result = work()
    for (const [name, variable] of this.owned.splice(from).reverse()) this.put(name, variable)
    return result
  }

  /** `local name`. */
  ownHere(name: string): void {
    this.owned.push([name, this.all.get(name)])
  }

  /** Runs a process: what it sets is gone with it. */
  process<T>(work: () => T): T {
    const { undo: outer, doubtedUntil } = this
    const undo: Before[] = []
    this.undo = undo
    const result = work()
    this.undo = null
    for (const [name, variable] of undo.reverse()) this.put(name, variable)
    this.undo = outer
    this.doubtedUntil = doubtedUntil
    return result
  }

  private put(name: string, variable: Variable | undefined): void {
    this.undo?.push([name, this.all.get(name)])
    if (variable === undefined) this.all.delete(name)
    else this.all.set(name, variable)
  }
}
