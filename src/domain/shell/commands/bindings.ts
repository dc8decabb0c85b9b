interface Binding<T> {
  /** Absent: it is not known which. */
  readonly value?: T
  readonly isSure: boolean
  readonly isExported: boolean
  /** The count of settings when it was set. */
  readonly at: number
}

/** A name, and what it was. */
type Before<T> = readonly [string, Binding<T> | undefined]

/**
 * The variables, or the functions, of a script. One that is set where it is not sure that it runs, or before a file that may set it, has its value
 * only perhaps: what is put together from it, and what it decides, is a guess.
 */
export class Bindings<T> {
  /** How often such a value was read. */
  guesses = 0
  private readonly all = new Map<string, Binding<T>>()
  private owned: Before<T>[] = []
  /** What to put back when the process ends; null: in that of the script. */
  private undo: Before<T>[] | null = null
  private readonly changes: Before<T>[] = []
  private count = 0
  private doubted = { all: 0, notExported: 0, unset: false }

  has(name: string): boolean {
    return this.all.has(name)
  }

  get(name: string): T | undefined {
    const known = this.all.get(name)
    if (known === undefined) return undefined
    const { isSure, isExported, at } = known
    if (!isSure || at <= this.doubted.all || (!isExported && at <= this.doubted.notExported)) this.guesses++
    return known.value
  }

  set(name: string, value: T, isSure = true): void {
    this.put(name, { value, isSure, isExported: this.all.get(name)?.isExported === true, at: ++this.count })
  }

  /** It is set to something that is not known. */
  lose(name: string): void {
    this.put(name, { isSure: true, isExported: this.all.get(name)?.isExported === true, at: ++this.count })
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
    this.doubted = { ...this.doubted, all: this.count, unset: true }
  }

  /** Whether one that the script never sets may be set by what is not followed. Asking so is a guess. */
  mayBeSet(name: string): boolean {
    const mayBe = this.doubted.unset && !this.all.has(name)
    if (mayBe) this.guesses++
    return mayBe
  }

  /** Programs that the script starts have it, too. */
  export(name: string): void {
    const known = this.all.get(name)
    if (known !== undefined) this.put(name, { ...known, isExported: true })
  }

  /** Does something with these names of its own, and with those that it calls so: afterwards they are what they were. */
  own<R>(names: readonly string[], work: () => R): R {
    const from = this.owned.length
    for (const name of names) this.ownHere(name)
    const result = work()
    for (const [name, before] of this.owned.splice(from).reverse()) this.put(name, before)
    return result
  }

  /** `local name`. */
  ownHere(name: string): void {
    this.owned.push([name, this.all.get(name)])
  }

  /** Runs a process: what it sets is gone with it. Another program has what is exported, another machine nothing. */
  process<R>(has: 'all' | 'exported' | 'nothing', work: () => R): R {
    const { undo: outer, doubted } = this
    const undo: Before<T>[] = []
    this.undo = undo
    if (has === 'exported') this.doubted = { ...doubted, notExported: this.count }
    if (has === 'nothing') this.doubtAll()
    const result = work()
    this.undo = null
    for (const [name, before] of undo.reverse()) this.put(name, before)
    this.undo = outer
    this.doubted = doubted
    return result
  }

  /** How many were set so far. */
  get changed(): number {
    return this.changes.length
  }

  /** Those that are not what they were then may have either value. */
  doubtSince(changed: number): void {
    const seen = new Set<string>()
    for (const [name, before] of this.changes.slice(changed)) {
      if (seen.has(name)) continue
      seen.add(name)
      if (this.all.get(name) !== before) this.doubt(name)
    }
  }

  private put(name: string, binding: Binding<T> | undefined): void {
    const before: Before<T> = [name, this.all.get(name)]
    this.undo?.push(before)
    this.changes.push(before)
    if (binding === undefined) this.all.delete(name)
    else this.all.set(name, binding)
  }
}
