/** A value that is already serialized. It is parsed only if something reads `value`. */
export class JsonText<Value = unknown> {
  readonly text: string;
  #value: Value | undefined;

  constructor(text: string) {
    this.text = text;
  }

  get value(): Value {
    this.#value ??= JSON.parse(this.text) as Value;
    return this.#value;
  }
}

export const jsonOf = <Value>(value: Value) => new JsonText<Value>(JSON.stringify(value));
