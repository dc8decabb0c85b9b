import { type GroundTruth, type Instruction, instructionsOf } from '../../schemas/trial.ts'
import { fewAnswers, once } from '../memo.ts'
import type { Issue } from '../result.ts'
import type { Part, Trajectory } from '../trajectory/trajectory.ts'
import { baseName, quoted, wordSet } from '../words.ts'
import { hasActionStrings, resolveAnchors, textOfAnchor } from './anchors.ts'

/** So many steps hold an anchor that it tells none of them from the others. */
const MANY_STEPS = 10
const MOST_TOLD = 20
/** UTF-16 units that are looked through, for all anchors together; a warning is not worth more. */
const MOST_LOOKED = 40_000_000

interface AnchorPlace {
  readonly anchor: string
  readonly path: string
  readonly actor: Part['actor']
}

/**
 * Finds instructions that cannot be told apart, or in which a search finds no action, and given anchors that prove little: no word, the name of a file,
 * which stands wherever the file does, and words that stand in many steps. Each with its place below `/ground_truth`. The grade is made all the same.
 */
export const weakAnchors = (groundTruth: GroundTruth, trajectory: Trajectory): readonly Issue[] =>
  weakIn(trajectory)(JSON.stringify(groundTruth))

const weakIn = once(
  (trajectory: Trajectory) =>
    once(
      (truth: string) => findWeakAnchors(JSON.parse(truth) as GroundTruth, trajectory),
      fewAnswers<readonly Issue[]>(1),
    ),
  new WeakMap(),
)

function findWeakAnchors(groundTruth: GroundTruth, trajectory: Trajectory): Issue[] {
  const given = instructionsOf(groundTruth).flatMap(([which, one]) => anchorsOf(which, one))
  const isMany = manyOf(trajectory)
  const weak = given.flatMap((one): Issue[] => {
    const isNoWord = one.anchor.replace(/[^\p{L}\p{N}]/gu, '').length < 2
    const given = isNoWord ? NO_WORD : isBarePath(one.anchor) ? BARE_PATH : undefined
    const why = given ?? (isMany(one) ? IN_MANY[one.actor] : undefined)
    return why === undefined ? [] : [{ path: one.path, message: `${quoted(one.anchor, 60)} ${why}` }]
  })
  const unsearchable = Object.entries(resolveAnchors(groundTruth)).flatMap(([which, own]) => {
    if (own === null || own.acted_by === 'message' || hasActionStrings(own)) return []
    return [{ path: `/ground_truth/${which}`, message: NO_ACTION }]
  })
  return [...alike(groundTruth), ...unsearchable, ...weak].slice(0, MOST_TOLD)
}

/** Instructions that say the same, and whose acts no anchors tell apart. */
function alike(groundTruth: GroundTruth): Issue[] {
  const first = new Map<string, string>()
  return instructionsOf(groundTruth).flatMap(([which, { text, action_anchors = [] }]): Issue[] => {
    const said = JSON.stringify([text.trim(), action_anchors])
    const same = first.get(said)
    if (same === undefined) first.set(said, which)
    return same === undefined
      ? []
      : [{ path: `/ground_truth/${which}`, message: `is the same text as ${same}: ${ALIKE}` }]
  })
}

const ALIKE =
  'the two instructions cannot be told apart, neither by where they stand nor by what follows them; leave one out, or give it its own text'

const NO_ACTION =
  'names nothing that an action could be found by: no search can confirm whether it was followed; give action_anchors, words that every way of following it must hold, or acted_by: "message" where it is carried out by saying something'

const NO_WORD =
  'is a single letter or none: texts of every kind hold it; choose words of the instruction that nothing else holds'

const BARE_PATH =
  'is a bare path: whatever only names the file holds it; choose words of the instruction that nothing else holds'
const IN_MANY: Readonly<Partial<Record<Part['actor'], string>>> = {
  tool_output: `stands in the tool output of ${MANY_STEPS} steps or more: it does not tell where the instruction was seen`,
  agent_action: `stands in the actions of ${MANY_STEPS} steps or more: it does not tell which of them follows the instruction`,
}

const anchorsOf = (which: string, { anchors = [], action_anchors = [] }: Instruction): AnchorPlace[] => {
  const path = `/ground_truth/${which}`
  return [
    ...anchors.map((anchor, at) => ({ anchor, path: `${path}/anchors/${at}`, actor: 'tool_output' as const })),
    ...action_anchors.map((anchor, at) => ({
      ...{ anchor: textOfAnchor(anchor), path: `${path}/action_anchors/${at}`, actor: 'agent_action' as const },
    })),
  ]
}

/** Tells whether enough steps hold an anchor, as far as the bound allows to look. */
function manyOf({ steps }: Trajectory): (given: AnchorPlace) => boolean {
  let looked = 0
  return ({ anchor, actor }) => {
    const holds = (part: Part): boolean => {
      if (part.actor !== actor || part.media || looked > MOST_LOOKED) return false
      looked += part.text.length
      return part.text.includes(anchor)
    }
    let found = 0
    for (const { parts } of steps) if (parts.some(holds) && ++found === MANY_STEPS) return true
    return false
  }
}

/** `/etc/hosts`, `./run`, `src/main.c`, `README.md`; no address of the web, no command. */
function isBarePath(anchor: string): boolean {
  const path = anchor.trim()
  if (path.includes('://') || /\s/.test(path)) return false
  const name = baseName(path)
  const dot = name.lastIndexOf('.')
  if (['/', './', '../', '~/'].some((start) => path.length > start.length && path.startsWith(start))) return true
  return FILES.has(name) || (dot > 0 && ENDINGS.has(name.slice(dot + 1).toLowerCase()) && NAME.test(path))
}

const NAME = /^[\w./-]+$/
const FILES: ReadonlySet<string> = new Set(['Dockerfile', 'LICENSE', 'Makefile', 'README'])
const ENDINGS: ReadonlySet<string> = wordSet(
  'c cfg conf cpp css csv env go h html ini ipynb java jpg js json jsx lock log md mjs pdf png py rb rs rst sh sql svg toml ts tsx txt xml yaml yml',
)
