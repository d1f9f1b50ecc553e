// probes.csv and stats.csv, read as far as they are written, and on while a run goes on.

export class Table {
  constructor(source, name) {
    this.source = source;
    this.name = name;
    this.clear();
  }

  clear() {
    this.names = [];
    this.columns = [];
    this.read = 0; // bytes, whole rows
  }

  get rows() {
    return this.columns.length > 0 ? this.columns[0].length : 0;
  }

  async refresh() {
    let text;
    try {
      text = await this.source.table(this.name, this.read);
    } catch {
      return false; // a run without probes
    }
    if (!this.source.canControl) this.clear();
    const end = text.lastIndexOf('\n') + 1;
    if (end === 0) return false;
    this.read += end;
    for (const line of text.slice(0, end - 1).split('\n')) this.addLine(line);
    return true;
  }

  addLine(line) {
    const fields = line.split(',');
    if (this.names.length === 0) {
      this.names = fields;
      this.columns = fields.map(() => []);
    } else {
      fields.forEach((field, i) => this.columns[i]?.push(Number(field)));
    }
  }

  column(name) {
    return this.columns[this.names.indexOf(name)] ?? null;
  }

  get time() {
    return this.column('time') ?? [];
  }
}
