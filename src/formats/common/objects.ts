import { isRecord, type Json, pointer, type Reading, typeName } from './reading.ts'

/** The objects of a list, with their pointers and places in it; what else stands there is an error: `a message must be an object, not null`. */
export function* objectsIn(
  reading: Reading,
  list: readonly unknown[],
  path: string,
  what: string,
): Generator<readonly [record: Json, path: string, index: number]> {
  for (const [index, item] of list.entries()) {
    const at = pointer(path, index)
    if (isRecord(item)) yield [item, at, index]
    else reading.error(at, `${what} must be an object, not ${typeName(item)}`)
  }
}
