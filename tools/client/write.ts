import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { renderContract } from './contract-types.ts'
import { renderPythonTypes } from './python-types.ts'

/**
 * Writes what the clients take from openapi/openapi.json: src/client/contract.ts, and in clients/python/veridict.py the types between two
 * marks. `--check` exits 1 where a committed file differs.
 */
const CONTRACT = 'openapi/openapi.json'
const PYTHON = 'clients/python/veridict.py'
const [BEGIN, END] = [
  '# -- generated from openapi/openapi.json: do not edit --\n',
  '# -- end of what is generated --\n',
]

const contract = JSON.parse(readFileSync(CONTRACT, 'utf8'))
const { schemas } = contract.components
const GradeRequest = contract.paths['/v1/grades'].post.requestBody.content['application/json'].schema
const { Grade, Batch, BatchItem, BatchResult, BatchEstimate } = schemas
const python = renderPythonTypes({ GradeRequest, Grade, BatchItem, Batch, BatchResult, BatchEstimate })

const files = {
  'src/client/contract.ts': await renderContract(contract),
  [PYTHON]: withTypes(readFileSync(PYTHON, 'utf8')),
}
for (const [file, text] of Object.entries(files)) {
  if (!process.argv.includes('--check')) writeFileSync(file, text)
  else if (!existsSync(file) || readFileSync(file, 'utf8') !== text) {
    console.error(`${file} differs from ${CONTRACT}: run "npm run client" and commit it`)
    process.exitCode = 1
  }
}

function withTypes(text: string): string {
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)]
  if (begin === -1 || end === -1) throw new Error(`${PYTHON} has lost its marks`)
  return `${text.slice(0, begin)}${BEGIN}\n\n${python}\n\n${text.slice(end)}`
}
