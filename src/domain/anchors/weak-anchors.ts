import { type GroundTruth, instructionsOf } from '../../schemas/trial.ts'
import { once } from '../memo.ts'
import type { Issue } from '../result.ts'
import data from '../words.json' with { type: 'json' }
import { baseName, quoted, wordSet } from '../words.ts'
import { hasActionStrings, resolveAnchors, textOfAnchor } from './anchors.ts'

const MOST_TOLD = 20

/**
 * Finds instructions that cannot be told apart, or in which a search finds no action, and given anchors that prove little: no word, and the name of a
 * file, which stands wherever the file does. Each with its place below `/ground_truth`. The grade is made all the same.
 */
export const weakAnchors = once((groundTruth: GroundTruth): readonly Issue[] => {
  const weak = instructionsOf(groundTruth).flatMap(([which, { anchors = [], action_anchors = [] }]): Issue[] => [
    ...weakIn(anchors, `/ground_truth/${which}/anchors`),
    ...weakIn(action_anchors.map(textOfAnchor), `/ground_truth/${which}/action_anchors`),
  ])
  const unsearchable = Object.entries(resolveAnchors(groundTruth)).flatMap(([which, own]) => {
    if (own === null || own.acted_by === 'message' || hasActionStrings(own)) return []
    return [{ path: `/ground_truth/${which}`, message: NO_ACTION }]
  })
  return [...alike(groundTruth), ...unsearchable, ...weak].slice(0, MOST_TOLD)
}, new WeakMap())

const weakIn = (anchors: readonly string[], path: string): Issue[] =>
  anchors.flatMap((anchor, at): Issue[] => {
    const isNoWord = anchor.replace(/[^\p{L}\p{N}]/gu, '').length < 2
    const why = isNoWord ? NO_WORD : isBarePath(anchor) ? BARE_PATH : undefined
    return why === undefined ? [] : [{ path: `${path}/${at}`, message: `${quoted(anchor, 60)} ${why}` }]
  })

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
const ENDINGS = wordSet(data.plain_file_endings)
