import { once } from 'node:events'
import { lstat, readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { DEFAULT_LIMITS } from '../src/archives/unpack/limits.ts'
import { safeText } from '../src/archives/unpack/names.ts'
import type { Place } from '../src/archives/unpack/place.ts'
import type { Json } from '../src/formats/common/reading.ts'
import { runScript, UsageError } from './command-line.ts'
import { readAssebench } from './labelled/assebench.ts'
import {
  DATASETS,
  type Dataset,
  LabelFault,
  type LabelledItem,
  type LabelledOptions,
  type LabelledTrial,
  labelledItem,
  listOf,
  readJsonFile,
  skippedItem,
} from './labelled/labelled-item.ts'
import { idOf, readMagentic, readTau, readWhoAndWhen } from './labelled/teams.ts'

const USAGE = `usage: npm run --silent labelled -- KIND FOLDER > items.ndjson, where KIND is ${Object.keys(DATASETS).join(', ')}`

/** Renders a labelled run as the line that \`veridict validate\` reads. */
export const labelledLine = ({ trial, human }: LabelledTrial): string =>
  `${JSON.stringify({ item_id: trial.name, ...trial.request, human })}\n`

const isDataset = (name: string): name is Dataset => Object.hasOwn(DATASETS, name)

/** Writes the labelled runs of a published data set to stdout, a line each, and names the skipped runs on stderr. */
async function main(): Promise<number> {
  const [kind = '', folder, ...more] = process.argv.slice(2)
  if (!isDataset(kind) || folder === undefined || more.length > 0) throw new UsageError(USAGE)
  let runs = 0
  for await (const item of readLabelled(kind, folder, { limits: DEFAULT_LIMITS })) {
    if (item.kind === 'skipped') {
      console.error(`skipped  ${item.name}  ${item.detail}`)
      continue
    }
    runs++
    if (!process.stdout.write(labelledLine(item))) await once(process.stdout, 'drain')
  }
  return runs > 0 ? 0 : 1
}

/** Reads the labelled runs of a data set, in the folder that its authors publish. */
export function readLabelled(dataset: Dataset, path: string, options: LabelledOptions): AsyncGenerator<LabelledItem> {
  const place: Place = { path, shown: path }
  switch (dataset) {
    case 'who-and-when':
      return readRunFiles(place, options)
    case 'agentrx':
      return readAgentrx(place, options)
    default:
      return readAssebenchFiles(place, dataset === 'assebench-planted', options)
  }
}

const inside = (folder: Place, name: string): Place => ({
  path: join(folder.path, name),
  shown: join(folder.shown, name),
})

const MOST_NAMES = 100_000

/** Names in a folder in one order; files and folders alone, as a link may lead anywhere. */
async function namesIn(folder: Place, kind: 'file' | 'folder'): Promise<string[]> {
  const found = await readdir(folder.path, { withFileTypes: true })
  const fits = found.filter((one) => (kind === 'file' ? one.isFile() && one.name.endsWith('.json') : one.isDirectory()))
  return fits
    .slice(0, MOST_NAMES)
    .map(({ name }) => name)
    .sort((a, b) => (a < b ? -1 : 1))
}

/** Who&When: a folder of `1.json`, `2.json`, …, or one of such folders, which are its groups. */
async function* readRunFiles(folder: Place, options: LabelledOptions): AsyncGenerator<LabelledItem> {
  const groups = (await namesIn(folder, 'folder')).map((name) => ({ group: name, within: inside(folder, name) }))
  const own = { group: basename(folder.path), within: folder }
  for (const { group, within } of [own, ...groups])
    for (const file of await namesIn(within, 'file')) {
      options.abort?.throwIfAborted()
      const place = inside(within, file)
      yield* readFileOf(place, `${group}/${file}`, options, (value, name) => [
        labelledItem(name, place, options, () => readWhoAndWhen(value, group)),
      ])
    }
}

/** A file as a whole; where it cannot be read, it is skipped. */
async function* readFileOf(
  place: Place,
  name: string,
  options: LabelledOptions,
  convert: (value: unknown, name: string) => Iterable<LabelledItem> | AsyncIterable<LabelledItem>,
): AsyncGenerator<LabelledItem> {
  try {
    yield* convert(await readJsonFile(place, options), safeText(name))
  } catch (error) {
    if (!(error instanceof LabelFault)) throw error
    yield skippedItem(safeText(name), place, error)
  }
}

/** A record of a list, whose own faults have their place in it. */
function itemAt(index: number, make: () => ReturnType<typeof readWhoAndWhen>): ReturnType<typeof readWhoAndWhen> {
  try {
    return make()
  } catch (error) {
    throw error instanceof LabelFault ? new LabelFault(`/${index}${error.path}`, error.message) : error
  }
}

/** AgentRx: its folder `data`, or the one that holds it. A file is named by an id of the labels only where that is a plain name. */
async function* readAgentrx(given: Place, options: LabelledOptions): AsyncGenerator<LabelledItem> {
  const data = (await isFolder(inside(given, 'data'))) ? inside(given, 'data') : given
  const truths = inside(data, 'ground_truth')
  const runs = inside(data, 'magentic_dataset')
  const labels = inside(truths, 'magentic_one_ground_truth.json')
  yield* readFileOf(labels, 'magentic-one', options, async function* (value, name) {
    for (const [index, label] of listOf(value, '').entries()) {
      options.abort?.throwIfAborted()
      const id = idOf(label)
      if (!/^[\w-]{1,200}$/.test(id)) throw new LabelFault(`/${index}/trajectory_id`, 'is no name of a file')
      const place = inside(runs, `${id}.json`)
      yield* readFileOf(place, `${name}/${id}`, options, (run, own) => [
        labelledItem(own, place, options, () => readMagentic(label, run)),
      ])
    }
  })
  const failed = inside(inside(data, 'tau_retail'), 'tau_dataset_failed.json')
  yield* readFileOf(failed, 'tau-retail', options, async function* (value) {
    const byTask = new Map<string, Json>()
    for (const run of listOf(value, ''))
      if (!byTask.has(String(run['task_id']))) byTask.set(String(run['task_id']), run)
    const place = inside(truths, 'tau_ground_truth.json')
    yield* readFileOf(place, 'tau-retail', options, (labels_, name) =>
      listOf(labels_, '').map((label, index) =>
        labelledItem(`${name}/${safeText(String(label['trajectory_id']))}`, place, options, () =>
          itemAt(index, () => {
            const run = byTask.get(idOf(label))
            if (run === undefined)
              throw new LabelFault('/trajectory_id', `${idOf(label)} is no task_id of ${failed.shown}`)
            return readTau(label, run)
          }),
        ),
      ),
    )
  })
}

const isFolder = (place: Place): Promise<boolean> =>
  lstat(place.path).then(
    (stats) => stats.isDirectory(),
    () => false,
  )

/** ASSEBench: its files, or a folder of them. Runs about something else are left out. */
async function* readAssebenchFiles(
  given: Place,
  knowsPlanted: boolean,
  options: LabelledOptions,
): AsyncGenerator<LabelledItem> {
  const files = (await isFolder(given)) ? (await namesIn(given, 'file')).map((name) => inside(given, name)) : [given]
  for (const place of files)
    yield* readFileOf(place, basename(place.path, '.json'), options, function* (value, name) {
      for (const [index, run] of listOf(value, '').entries()) {
        let isOther = false
        const item = labelledItem(`${name}/${safeText(String(run['id'] ?? index))}`, place, options, () =>
          itemAt(index, () => {
            const read = readAssebench(run, knowsPlanted)
            isOther = read === null
            if (read === null) throw new LabelFault('', 'is about something else')
            return read
          }),
        )
        if (!isOther) yield item
      }
    })
}

if (import.meta.main) await runScript(main)
