-- Drives a real Neovim, headless: one undo takes a refactoring of one file back, and the plan has no changes again.
-- $INIT is the user's configuration, $MODULE a root module whose plan has no changes.

local module = vim.env.MODULE
local support = dofile(vim.env.SUPPORT)
local say, wait_for, test = support.say, support.wait_for, support.test

vim.o.lines, vim.o.columns, vim.o.hidden = 50, 160, true
dofile(vim.env.INIT)
vim.cmd('edit ' .. module .. '/main.tf')
local buffer = vim.api.nvim_get_current_buf()

local about = support.about(buffer)
local client, text, line_of, lens_of = about.client, about.text, about.line_of, about.lens_of
local saved = text()

-- As the plan's document has it.
local function plan()
  local answer = client().request_sync('planlens/plan', vim.empty_dict(), 10000, buffer)
  return answer and answer.result.plans[1]
end

local function no_changes()
  local now = plan()
  return now and now.state == 'fresh' and #now.changes == 0
end

-- One undo, of the file alone.
local function undone(part)
  assert(vim.bo[buffer].modified, 'it was saved')
  vim.cmd('silent undo')
  assert(text() == saved, text())
  wait_for('no changes', no_changes)
  wait_for('lens', function() return lens_of(part) == 'no change' end)
  say('   undone:', lens_of(part))
  local files = vim.fn.readdir(module)
  assert(not vim.list_contains(files, 'moved.tf'), vim.inspect(files))
end

test('what is saved has no changes', function()
  wait_for('client', function() return client() and client().initialized end)
  wait_for('no changes', no_changes)
  wait_for('lens', function() return lens_of('"each"') == 'no change' end)
end)

test('count becomes for_each, and one undo takes it back', function()
  vim.api.nvim_win_set_cursor(0, { line_of('"each"'), 2 })
  vim.lsp.buf.code_action({
    apply = true,
    context = { only = { 'refactor' }, diagnostics = {} },
    filter = function(action) return action.title == 'Convert count of terraform_data.each to for_each' end,
  })
  wait_for('for_each', function() return line_of('for_each') end)
  assert(text():find('from = terraform_data.each[1]\n  to   = terraform_data.each["1"]', 1, true), text())
  wait_for('lens', function() return lens_of('"each"') == 'no change · moved from terraform_data.each' end)
  wait_for('no changes', no_changes)
  undone('"each"')
end)

test('a new name, and one undo takes it back', function()
  vim.api.nvim_win_set_cursor(0, { line_of('"own"'), #'resource "terraform_data" "' + 1 })
  vim.lsp.buf.rename('mine')
  wait_for('name', function() return line_of('"mine"') end)
  assert(text():find('from = terraform_data.own\n  to   = terraform_data.mine', 1, true), text())
  wait_for('lens', function() return lens_of('"mine"') == 'no change · moved from terraform_data.own' end)
  wait_for('no changes', no_changes)
  undone('"own"')
end)

test('a variable without a value gets one by what this editor can do', function()
  local last = vim.api.nvim_buf_line_count(buffer)
  vim.api.nvim_buf_set_lines(buffer, last, last, false, { 'variable "zone" {', '  type = string', '}' })
  wait_for('unset', function() return vim.deep_equal(plan().unset, { 'zone' }) end)
  vim.api.nvim_win_set_cursor(0, { last + 1, 2 })
  local offered
  vim.ui.select = function(items, options, done)
    offered = vim.tbl_map(options.format_item, items)
    for _, item in ipairs(items) do
      if options.format_item(item):find('Add a default to `zone`', 1, true) then
        return done(item)
      end
    end
  end
  vim.lsp.buf.code_action({ context = { only = { 'quickfix' }, diagnostics = {} } })
  wait_for('default', function() return line_of('default = ""') end)
  say('   offered:', table.concat(offered, ', '))
  assert(#offered == 2 and offered[2]:find('Set `zone` in terraform.tfvars', 1, true), vim.inspect(offered))
  wait_for('value', function() return #plan().unset == 0 end)
end)

support.finish(function()
  say(text())
  say('plan:', vim.inspect(plan()))
end)
