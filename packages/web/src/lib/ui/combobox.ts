/** An option of a combobox. Options with a `group` are listed under its name, in the order of the list. */
export type ComboboxOption = { value: string; label: string; group?: string };
