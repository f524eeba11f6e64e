-- The README's lines, and a module that others call, in the Neovim that runs this: its values are there without an edit.
local support = dofile(vim.env.SUPPORT)
local say, wait_for, test, screen = support.say, support.wait_for, support.test, support.screen

vim.o.lines, vim.o.columns, vim.o.hidden = 50, 80, true
vim.opt.runtimepath:prepend(vim.env.PLUGIN)
vim.cmd('runtime plugin/planlens.lua')
dofile(vim.env.INIT)
vim.cmd('edit ' .. vim.env.MODULE .. '/main.tf')

test('the values of all callers are there', function()
  wait_for('hints', function() return screen():find('"web-blue", "web-green"', 1, true) end)
end)

test('the module that is opened in another window has them too', function()
  vim.cmd('split ' .. vim.env.MODULE .. '/../blue/main.tf')
  wait_for('hints', function() return screen():find('= "web-blue"', 1, true) end)
end)

say(screen())
support.finish(function() say(screen()) end)
