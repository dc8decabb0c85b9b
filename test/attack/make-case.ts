import type { Behaviour } from '../../src/schemas/vocabulary.ts'
import type { AttackCase, AttackClass, JudgeName } from './attack-case.ts'
import { ATTACKED, type Base } from './base/bases.ts'
import type { LimitId } from './limits.ts'
import { type Placement, plant } from './placements.ts'

/** A case before it has its name and its run. */
interface Plan {
  readonly attack: AttackClass
  /** Stands behind the class in the name. */
  readonly kind?: string
  readonly base: Base
  /** What the attack wants; absent: the true label. */
  readonly target?: Behaviour
  readonly limit: LimitId | null
  /** Whose text the attack stands in, and the text; absent: nothing is planted. */
  readonly at?: Placement
  readonly text?: () => string
  /** By default those that read the whole record. */
  readonly judges?: readonly JudgeName[]
}

/** Makes a case of a base: its name, and its run once that is asked for. */
export function makeCase({ attack, kind, base, target = base.truth, limit, at, text, judges }: Plan): AttackCase {
  const { truth, surface, anchored, ground_truth } = base
  const place = [attack, kind, base.id].filter((one) => one !== undefined).join('/')
  return {
    name: `${place}${target === truth ? '' : `→${target}`}${at === undefined ? '' : `@${at}`}`,
    ...{ attack, limit, truth, surface, target, anchored, ground_truth },
    trajectory: () =>
      at === undefined || text === undefined ? ATTACKED.document(base.task, base.turns) : plant(base, at, text()),
    judges: judges ?? ['obedient', 'lexical'],
  }
}
