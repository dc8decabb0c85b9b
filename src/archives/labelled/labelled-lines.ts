import { isRecord, type Json } from '../../formats/common/reading.ts'
import { type HumanLabel, HumanLabelSchema } from '../../schemas/audit/human-label.ts'
import { inputIssues } from '../../schemas/check.ts'
import type { GradeRequest } from '../../schemas/grade-request.ts'
import { isRequest, linesOf, parseLine } from '../trials/request-lines.ts'
import { safeText } from '../unpack/names.ts'
import type { Place } from '../unpack/place.ts'
import { LabelFault, type LabelledItem, type LabelledOptions, labelledItem } from './labelled-item.ts'

/** Grade requests, one a line, each with a member `human`; `item_id` names it. Its `variant` tells groups apart. */
export async function* readLabelledLines(file: Place, options: LabelledOptions): AsyncGenerator<LabelledItem> {
  const { max_line_bytes: max } = options.limits
  const used = new Set<string>()
  for await (const { number, bytes } of linesOf(file.path, max)) {
    options.abort?.throwIfAborted()
    const at = `line ${number}`
    const place = { ...file, shown: `${file.shown}#${at}` }
    const value = bytes === null ? undefined : parseLine(bytes)
    const own = isRecord(value) && typeof value['item_id'] === 'string' ? value['item_id'] : ''
    const name = own === '' ? safeText(at) : own
    yield labelledItem(name, place, options, () => {
      if (bytes === null) throw new LabelFault('', `${at} has more than the ${max} bytes that are read of one`)
      if (value === undefined) throw new LabelFault('', `${at} is not JSON`)
      if (!isRequest(value)) throw new LabelFault('', `${at}: a request has a trajectory, an object`)
      if (used.has(name)) throw new LabelFault(`${at} /item_id`, `${name} is the name of an earlier line, too`)
      used.add(name)
      return convert(value, at)
    })
  }
}

function convert(line: Json, at: string): { request: GradeRequest; human: HumanLabel; group: string | null } {
  const { human, item_id: _name, ...request } = line
  if (human === undefined)
    throw new LabelFault(`${at} /human`, 'is missing: {"outcome": label} or {"claims": {id: value}}')
  const [issue] = inputIssues(HumanLabelSchema, human)
  if (issue !== undefined) throw new LabelFault(`${at} /human${issue.path}`, issue.message)
  const { metadata } = request
  const variant = isRecord(metadata) ? metadata['variant'] : undefined
  return {
    request: request as unknown as GradeRequest,
    human: human as HumanLabel,
    group: typeof variant === 'string' && variant !== '' ? variant : null,
  }
}
