import type { Command } from 'commander'
import type { JudgeView } from '../../schemas/views.ts'
import { EXIT } from '../errors.ts'
import { jsonCommand, type Options, withList, withServer } from '../input/command-options.ts'
import { clip, line, pad, wrap } from '../output/text.ts'
import { inSession, SERVER_HELP, type Session } from '../session.ts'
import type { Shell } from '../shell.ts'

const catalogueCommand = (
  shell: Shell,
  name: 'judges' | 'rubrics',
  description: string,
  list: (session: Session) => Promise<unknown>,
): Command =>
  withList(withServer(jsonCommand(name, description)))
    .addHelpText(
      'after',
      `\n${SERVER_HELP}\n\nExit codes: 0 listed; 1 no service; 130 interrupted.\n\nExample:\n  veridict ${name} -o ndjson`,
    )
    .action((options: Options) =>
      inSession(shell, { ...options, database: 'none' }, async (session) => {
        session.data = await list(session)
        return EXIT.graded
      }),
    )

export const judgesCommand = (shell: Shell): Command =>
  catalogueCommand(shell, 'judges', 'list the judges that --judge can name', async (session) => {
    const { veridict, target, format, json } = session
    const columns = shell.out.columns ?? 80
    const listed = await veridict.listJudges()
    for (const judge of listed.items) await target.write(format === 'table' ? judgeText(judge, columns) : line(judge))
    for (const judge of json ? [] : (listed.not_configured ?? [])) {
      const text = entryText(judge, [['about', `not configured: ${judge.reason}`]], columns)
      // NDJSON lists the judges that can be asked.
      const stream = format === 'table' ? shell.out : shell.err
      stream.write(text)
    }
    return listed
  })

export const rubricsCommand = (shell: Shell): Command =>
  catalogueCommand(shell, 'rubrics', 'list the rubrics that --rubric can name', async (session) => {
    const { veridict, target, format } = session
    const items = await veridict.listRubrics()
    for (const rubric of items) {
      const row = `${pad(clip(rubric.name, 30), 30)}  ${clip(rubric.title, 120)}\n`
      await target.write(format === 'table' ? row : line(rubric))
    }
    return { items }
  })

type Entry = readonly [name: string, value: string]

/** Renders the name of a judge and its description; for a model also address, model, price and window. */
function judgeText(judge: JudgeView, columns: number): string {
  const { base_url, model, price, window_tokens } = judge
  const settings: Entry[] = [
    ['base URL', base_url ?? '–'],
    ['model', model ?? '–'],
    ['price', priceText(price)],
    ['window', window_tokens === null ? 'no limit' : `${window_tokens} tokens`],
  ]
  const about = `${judge.description}${judge.images ? ', sees pictures' : ''}`
  return entryText(judge, [['about', about], ...(judge.kind === 'model' ? settings : [])], columns)
}

function entryText(judge: { name: string; default: boolean }, entries: readonly Entry[], columns: number): string {
  const lines = entries.map(([name, value]) => `  ${pad(name, 8)}  ${wrap(clip(value, 1000), columns, 12)}\n`)
  return `${clip(judge.name, 200)}${judge.default ? ' (default)' : ''}\n${lines.join('')}`
}

function priceText(price: JudgeView['price']): string {
  if (price === null) return 'unknown: not asked under a cap of dollars'
  const { input_per_mtok, output_per_mtok, cache_read_per_mtok, cache_write_per_mtok, as_of } = price
  const cache = `cache read $${cache_read_per_mtok}, write $${cache_write_per_mtok}`
  const day = as_of === null ? '' : `, as of ${as_of}`
  return `in $${input_per_mtok}, out $${output_per_mtok}, ${cache}, per million tokens${day}`
}
