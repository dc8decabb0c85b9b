import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { parseArgs } from 'node:util'
import { readScores } from './read-scores.mjs'

/**
 * What the commands that send results to an observability platform share: options, the lines, parts of a bounded size, progress, a tally
 * and the exit code. A platform brings its last step alone.
 *
 * @typedef {import('./read-scores.mjs').Score} Score
 * @typedef {object} Platform
 * @property {string} help
 * @property {number} most scores of one part: sent, and confirmed, before the next is begun
 * @property {Record<string, { type: 'string' | 'boolean' }>} options beside those of `OPTIONS_HELP`
 * @property {(score: Score) => object} body what a score is to the platform; shown by `--dry-run`
 * @property {(options: Record<string, unknown>) => Promise<Send>} connect throws a sentence that says what to do
 * @typedef {(scores: readonly Score[]) => Promise<Refused[]>} Send
 *   Resolves once the platform has confirmed all but those; rejects where going on makes no sense. What was sent twice is one score.
 * @typedef {{ readonly score: Score, readonly why: string }} Refused
 */

export const OPTIONS_HELP = `  FILE             what \`veridict results BATCH -o ndjson\` wrote; stdin where absent
  --trace FIELD    where an item's trace id stands: \`item_id\`, \`file\` (the name of its file without folders and endings) or
                   \`metadata.NAME\`. By default metadata.trace_id, else the 32 hexadecimal digits that stand in item_id once
  --name NAME      of the scores; by default the id of the rubric, such as tab-behavior
  --unverified     send what is unverified as the category \`unverified\`; by default it is no score
  --from LINE      begin at that line: where an earlier run stopped
  --dry-run        print what would be sent, a JSON object a line; asks nobody and needs no key
Exit codes: 0 every label was sent; 1 it stopped, and says at which line to go on; 3 some labels were not sent, and are named.
A failed judge is no score: such items are counted and not sent. The same results again change nothing.`

const OPTIONS = {
  trace: { type: 'string' },
  name: { type: 'string' },
  unverified: { type: 'boolean' },
  from: { type: 'string' },
  'dry-run': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
}
/** Items that are named; the others are counted. */
const MOST_NAMED = 20
const TELL_MS = 1000

/**
 * Runs the command of a platform: reads process.argv and stdin, sets the exit code.
 *
 * @param {Platform} platform
 */
export async function pushResults(platform) {
  try {
    const { values: options, positionals } = parseArgs({
      options: { ...OPTIONS, ...platform.options },
      allowPositionals: true,
    })
    if (options.help) return void process.stdout.write(`${platform.help}\n`)
    if (positionals.length > 1) throw new Error('one file at a time')
    const [file] = positionals
    const input = file === undefined ? process.stdin : createReadStream(file)
    const send = options['dry-run'] ? print(platform.body) : await platform.connect(options)
    const tally = await pushAll(input, options, { send, most: platform.most }, tell)
    tell(endText(tally, verbOf(options)))
    process.exitCode = tally.no_trace + tally.refused > 0 ? 3 : 0
  } catch (error) {
    tell(messageOf(error))
    // Not only the code: a client may have left a timer behind.
    process.exit(1)
  }
}

/**
 * Sends what is a score, part by part.
 *
 * @param {AsyncIterable<Uint8Array>} input NDJSON
 * @param {Record<string, unknown>} options
 * @param {{ send: Send, most: number }} platform
 * @param {(text: string) => void} say
 * @returns {Promise<Tally>}
 * @typedef {{ sent: number, refused: number, failed: number, unverified: number, cancelled: number, no_trace: number }} Tally
 * @throws {Error} with the line to go on from
 */
export async function pushAll(input, options, { send, most }, say) {
  const from = lineNumber(options.from)
  const tally = { sent: 0, refused: 0, failed: 0, unverified: 0, cancelled: 0, no_trace: 0 }
  let named = 0
  const name = (item, why) => {
    if (named++ < MOST_NAMED) say(`not sent: ${oneLine(item)}: ${oneLine(why)}`)
  }
  const progress = teller(say, () => `${verbOf(options)} ${tally.sent + tally.refused} …`)
  /** @type {Score[]} */
  let part = []
  let next = from
  const flush = async (line) => {
    const refused = part.length === 0 ? [] : await send(part)
    for (const { score, why } of refused) name(score.item, why)
    tally.refused += refused.length
    tally.sent += part.length - refused.length
    part = []
    next = line
    progress()
  }
  try {
    for await (const { line, item, score, not } of readScores(input, { ...options, from })) {
      if (score !== null) part.push(score)
      else tally[not]++
      if (not === 'no_trace') name(item, 'no trace id: --trace says where it stands')
      if (part.length >= most) await flush(line + 1)
    }
    await flush(next)
  } catch (error) {
    throw new Error(
      `${oneLine(messageOf(error))}\nStopped: ${tally.sent} sent. The same command with --from ${next} goes on.`,
    )
  }
  if (named > MOST_NAMED) say(`… and ${named - MOST_NAMED} more`)
  return tally
}

const verbOf = (options) => (options['dry-run'] ? 'would send' : 'sent')

/** @param {Tally} tally */
function endText({ sent, refused, failed, unverified, cancelled, no_trace }, verb) {
  const rest = Object.entries({ 'no trace id': no_trace, refused, failed, unverified, cancelled })
    .filter(([, count]) => count > 0)
    .map(([why, count]) => `${why} ${count}`)
  return `${verb} ${sent}${rest.length > 0 ? ` · not sent: ${rest.join(', ')}` : ''}`
}

const print = (body) => async (scores) => {
  // Whoever reads it may have seen enough.
  if (process.stdout.listenerCount('error') === 0) process.stdout.on('error', () => process.exit(1))
  const text = scores.map((score) => `${JSON.stringify(body(score))}\n`).join('')
  if (!process.stdout.write(text)) await once(process.stdout, 'drain')
  return []
}

function lineNumber(given) {
  const line = given === undefined ? 1 : Number(given)
  if (!Number.isSafeInteger(line) || line < 1) throw new Error('--from wants the number of a line, from 1')
  return line
}

/** At most once a second. */
function teller(say, text) {
  let told = performance.now()
  return () => {
    if (performance.now() - told < TELL_MS) return
    told = performance.now()
    say(text())
  }
}

const tell = (text) => void process.stderr.write(`${text}\n`)
export const messageOf = (error) => (error instanceof Error ? error.message : String(error))
/** What a file or a platform says, for a terminal: no control characters, no end. */
const oneLine = (text) => text.replaceAll(/\p{C}+/gu, ' ').slice(0, 500)
