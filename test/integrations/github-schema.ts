import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { JSONObjectReader } from '@actions/workflow-parser/templates/json-object-reader'
import { TemplateSchema } from '@actions/workflow-parser/templates/schema/index'
import { TemplateContext, TemplateValidationErrors } from '@actions/workflow-parser/templates/template-context'
import { readTemplate } from '@actions/workflow-parser/templates/template-reader'
import { NoOperationTraceWriter } from '@actions/workflow-parser/templates/trace-writer'
import { YamlObjectReader } from '@actions/workflow-parser/workflows/yaml-object-reader'

/** Schemas of GitHub's language services, and the root definition of each kind of file. */
const KINDS = {
  action: ['action-v1.0.min.json', 'action-root-strict'],
  workflow: ['workflow-v1.0.min.json', 'workflow-root-strict'],
} as const

const folder = 'node_modules/@actions/workflow-parser/dist'

/**
 * Lists the errors of GitHub for a workflow or an action file; empty for a valid file. The function repeats `parseWorkflow` and
 * `parseAction` of the package, which load their schemas in a manner that Node.js does not support.
 */
export function githubErrors(kind: keyof typeof KINDS, name: string, content: string): readonly string[] {
  const [file, root] = KINDS[kind]
  const schema = TemplateSchema.load(new JSONObjectReader(undefined, readFileSync(join(folder, file), 'utf8')))
  const context = new TemplateContext(new TemplateValidationErrors(), schema, new NoOperationTraceWriter())
  const id = context.getFileId(name)
  const reader = new YamlObjectReader(id, content)
  if (reader.errors.length > 0) return reader.errors.map(({ message }) => message)
  readTemplate(context, root, reader, id)
  return context.errors.getErrors().map(({ message }) => message)
}
