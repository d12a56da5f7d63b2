/** A value as the JSON that goes out. It is parsed only when something has to look into it. */
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
