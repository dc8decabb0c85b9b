import type { Step } from '../../domain/trajectory/trajectory.ts'
import { cutName, isRecord, type Json, pointer, type Reading } from '../common/reading.ts'
import { asList, asName, asRecord, asText } from '../common/session.ts'
import type { Format, ReadDocument } from '../format.ts'
import { readTurns } from '../openai-chat/chat-steps.ts'
import { ChatSink } from '../openai-chat/openai-chat-sink.ts'
import { Located } from '../traces/located.ts'

/** The format of Docent's AgentRun: transcripts of messages, in groups (TransluceAI/docent, data_models/{agent_run,transcript}.py, chat). */
export const DOCENT: Format = {
  name: 'docent',
  // A list, or an object by name in older files.
  recognizes: ({ transcripts }) =>
    typeof transcripts === 'object' && Object.values(transcripts ?? []).some(isTranscript),
  read: readDocent,
}

const isTranscript = (value: unknown): value is Json => isRecord(value) && Array.isArray(value['messages'])

/** A transcript; its own name, else its group's, else its number. */
type Transcript = readonly [transcript: Located, name: string]

function readDocent(reading: Reading, document: Json): ReadDocument {
  const transcripts = transcriptsOf(document)
  for (const [key, value] of Object.entries(document['transcripts'] as object))
    if (!isTranscript(value)) reading.odd(pointer('/transcripts', key), 'a transcript with messages', value)
  const steps: Step[] = []
  for (const [transcript, name] of transcripts) {
    const sink = new ChatSink(reading, agentOf(document), true)
    readTurns(sink, transcript.member('messages').items())
    for (const step of sink.steps()) {
      const own = { conversation: transcript.path, name: cutName(`${name}#${step.name ?? step.id}`) }
      const isOfAgent = step.parts.some(({ actor }) => actor.startsWith('agent_'))
      const of = transcripts.length === 1 ? {} : { ...own, ...(isOfAgent && { agent: name }) }
      steps.push({ ...step, id: steps.length + 1, ...of })
    }
  }
  const several = 'several transcripts: shown one behind the other, as in the file; whose act was first cannot be told'
  if (transcripts.length > 1) reading.warn('/transcripts', several)
  const kept = reading.takeSteps(steps.length, '/transcripts') ? steps : []
  return { format: 'docent', agent: { name: agentOf(document), model: modelOf(document, transcripts) }, steps: kept }
}

function transcriptsOf(document: Json): readonly Transcript[] {
  const { transcripts, transcript_groups: groups } = document
  const list: readonly unknown[] = Array.isArray(groups) ? groups : Object.values(asRecord(groups))
  const names = new Map(list.map(asRecord).map(({ id, name }) => [id, asText(name)]))
  return Object.entries(transcripts as object).flatMap(([key, record]: [string, unknown], index): Transcript[] => {
    if (!isTranscript(record)) return []
    const own = asText(record['name']) ?? (Array.isArray(transcripts) ? names.get(record['transcript_group_id']) : key)
    return [[new Located(record, pointer('/transcripts', key)), cutName(own ?? `transcript ${index + 1}`)]]
  })
}

const agentOf = ({ metadata }: Json): string | null =>
  asName(asRecord(metadata)['agent']) ?? asName(asRecord(metadata)['agent_name'])

function modelOf({ metadata }: Json, transcripts: readonly Transcript[]): string | null {
  const messages = transcripts.flatMap(([{ record }]) => asList(record['messages']))
  const answer = messages.findLast((message) => asText(asRecord(message)['model']) !== null)
  return asName(asRecord(answer ?? metadata)['model'])
}
