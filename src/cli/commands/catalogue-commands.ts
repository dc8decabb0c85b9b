import { Command } from 'commander'
import type { JudgeView } from '../../schemas/judge-info.ts'
import { EXIT } from '../client/errors.ts'
import { SERVER_HELP } from '../client/service-connection.ts'
import { inSession, type Session } from '../client/session.ts'
import type { Shell } from '../client/shell.ts'
import { type Options, withList, withServer } from '../input/command-options.ts'
import { clip, line, pad, wrap } from '../output/text.ts'

const catalogueCommand = (
  shell: Shell,
  name: 'judges' | 'rubrics',
  description: string,
  list: (session: Session) => Promise<void>,
): Command =>
  withList(withServer(new Command(name)))
    .description(description)
    .addHelpText(
      'after',
      `\n${SERVER_HELP}\n\nExit codes: 0 listed; 1 no service; 130 interrupted.\n\nExample:\n  veridict ${name} -o ndjson`,
    )
    .action((options: Options) =>
      inSession(shell, { ...options, database: 'none' }, async (session) => {
        await list(session)
        return EXIT.graded
      }),
    )

export const judgesCommand = (shell: Shell): Command =>
  catalogueCommand(shell, 'judges', 'list the judges that --judge can name', async ({ client, target, format }) => {
    const columns = shell.out.columns ?? 80
    const { items, not_configured = [] } = await client.listJudges()
    for (const judge of items) await target.write(format === 'table' ? judgeText(judge, columns) : line(judge))
    // NDJSON lists the judges that can be asked.
    for (const judge of not_configured)
      (format === 'table' ? shell.out : shell.err).write(
        entryText(judge, [['about', `not configured: ${judge.reason}`]], columns),
      )
  })

export const rubricsCommand = (shell: Shell): Command =>
  catalogueCommand(shell, 'rubrics', 'list the rubrics that --rubric can name', async ({ client, target, format }) => {
    for (const rubric of (await client.listRubrics()).items) {
      const row = `${pad(clip(rubric.name, 30), 30)}  ${clip(rubric.title, 120)}\n`
      await target.write(format === 'table' ? row : line(rubric))
    }
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
