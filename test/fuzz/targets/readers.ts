import { openDocuments } from '../../../src/formats/common/open-documents.ts'
import { checkReading } from '../laws/reader-laws.ts'
import { JSON_INPUTS } from '../near.ts'
import { hold, type Target } from '../target.ts'

const LAW =
  'read or refused with places, never thrown; paths resolve to their texts, ids are unique, no call is lost, twice the same'

const FORMATS = [
  ...['atif', 'atif-segments', 'claude-code', 'codex', 'cursor', 'gemini-cli', 'inspect', 'mini-swe-agent'],
  ...['openai-chat', 'openhands', 'steps', 'swe-agent'],
  ...[
    'antigravity',
    'cline',
    'copilot-cli',
    'docent',
    'droid-stream',
    'kimi-code',
    'gemini-contents',
    'langfuse',
    'openclaw',
    'qwen-code',
    'opencode',
    'otlp',
  ],
  ...['anthropic-messages', 'langchain', 'langsmith', 'openai-responses', 'pydantic-ai', 'vercel-ui', 'verifiers'],
] as const

/** One for each reader, by the samples that it starts from; what they become is told from the content, like everything. */
export const READERS: readonly Target<unknown>[] = FORMATS.map((name) => ({
  ...JSON_INPUTS,
  name,
  law: LAW,
  corpus: name,
  check: checkDocument,
}))

function checkDocument(document: unknown): void {
  checkReading(document)
  const opened = openDocuments(JSON.stringify(document))
  if (!opened.ok) hold(opened.error.length > 0, 'a refusal of a file says nothing')
  else for (const run of opened.value.slice(0, 5)) checkReading(run.document)
}
